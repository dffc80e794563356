/**
 * The host page's document, asked in a way that its markup cannot answer for it.
 *
 * `<img name=createElement>` makes `document.createElement` that image: named elements shadow every property of
 * `document`, and fields those of their form. The accessors and methods on the prototype cannot be shadowed, so they
 * are taken from there. (`window` needs no such care: named elements come last in its lookup, and `location` cannot be
 * shadowed.)
 */

export function createElement<K extends keyof HTMLElementTagNameMap>(name: K): HTMLElementTagNameMap[K] {
  return Document.prototype.createElement.call(document, name) as HTMLElementTagNameMap[K]; // `call` forgets the overload by tag name.
}

/** @throws DOMException for what is not a selector. */
export function queryAll(selector: string): Element[] {
  return [...Document.prototype.querySelectorAll.call(document, selector)];
}

export function hasParsed(): boolean {
  return documentHas("readyState") !== "loading";
}

/** Listens on the document; answers with how to stop. */
export function onDocument<E extends Event>(type: string, listener: (event: E) => void): () => void {
  const { addEventListener, removeEventListener } = EventTarget.prototype;
  addEventListener.call(document, type, listener as EventListener); // the caller names the event that this type has
  return () => removeEventListener.call(document, type, listener as EventListener);
}

/** `<html>`. */
export function rootElement(): HTMLElement {
  return documentHas("documentElement") as HTMLElement; // an HTML page's is one
}

/**
 * The element, then each of its ancestors up to `<html>`, out of shadow trees too, each with the elements beside it.
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
 * Whether the keyboard is in this frame. `:focus` does not tell: in Chromium a frame of another origin that has it
 * never matches.
 */
export function hasFocus(element: HTMLIFrameElement): boolean {
  const root = element.getRootNode();
  if (root instanceof ShadowRoot) return root.activeElement === element;
  return root === document && documentHas("activeElement") === element;
}

/**
 * The address of the classic script that runs right now; null in a module or a bundle.
 * Must be called while the script is evaluated, not later.
 */
export function currentScriptUrl(): string | null {
  const script = documentHas("currentScript");
  return script instanceof HTMLScriptElement && script.src !== "" ? script.src : null;
}

function documentHas(property: keyof Document): unknown {
  return Reflect.get(Document.prototype, property, document);
}
