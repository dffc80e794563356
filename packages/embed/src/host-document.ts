/**
 * Access to the host page's document that its markup can't interfere with.
 *
 * Named elements shadow every property of `document`: with `<img name=createElement>`, `document.createElement` is that
 * image. Form fields do the same to their form. Accessors and methods on the prototype can't be shadowed, so we use
 * those. `window` doesn't need this, because named elements come last in its lookup and `location` can't be shadowed.
 */

export function createElement<K extends keyof HTMLElementTagNameMap>(name: K): HTMLElementTagNameMap[K] {
  return Document.prototype.createElement.call(document, name) as HTMLElementTagNameMap[K]; // `call` loses the overload by tag name
}

/** @throws DOMException for an invalid selector */
export function queryAll(selector: string): Element[] {
  return [...Document.prototype.querySelectorAll.call(document, selector)];
}

export function hasParsed(): boolean {
  return documentHas("readyState") !== "loading";
}

/** Adds a listener to the document and returns a function that removes it. */
export function onDocument<E extends Event>(type: string, listener: (event: E) => void): () => void {
  const { addEventListener, removeEventListener } = EventTarget.prototype;
  addEventListener.call(document, type, listener as EventListener); // the caller's event matches the type
  return () => removeEventListener.call(document, type, listener as EventListener);
}

/** `<html>`. */
export function rootElement(): HTMLElement {
  return documentHas("documentElement") as HTMLElement; // always an HTMLElement in an HTML page
}

/**
 * Yields the element and its ancestors up to `<html>`, across shadow roots, each with its siblings.
 */
export function* levelsOf(element: Element): Generator<[node: Element, siblings: Element[]]> {
  for (let node: Element | null = element; node;) {
    const parent: ParentNode | null = Reflect.get(Node.prototype, "parentNode", node);
    const isElement: boolean = parent instanceof Element;
    const children: Iterable<Element> = isElement
      ? Reflect.get(Element.prototype, "children", parent)
      : (parent?.children ?? []);
    yield [node, Array.from(children).filter((child) => child !== node)];
    node = parent instanceof Element ? parent : parent instanceof ShadowRoot ? parent.host : null;
  }
}

/**
 * Whether this iframe has the focus. `:focus` doesn't work, because in Chromium a cross-origin iframe never matches it.
 */
export function hasFocus(element: HTMLIFrameElement): boolean {
  const root = element.getRootNode();
  if (root instanceof ShadowRoot) return root.activeElement === element;
  return root === document && documentHas("activeElement") === element;
}

/**
 * The URL of the running classic script, or null in a module or a bundle. Call it while the script is evaluated, not
 * later.
 */
export function currentScriptUrl(): string | null {
  const script = documentHas("currentScript");
  return script instanceof HTMLScriptElement && script.src !== "" ? script.src : null;
}

function documentHas(property: keyof Document): unknown {
  return Reflect.get(Document.prototype, property, document);
}
