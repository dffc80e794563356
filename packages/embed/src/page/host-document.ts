/**
 * Access to the host page's document that its markup and old libraries can't interfere with.
 *
 * Named elements shadow every property of `document`: with `<img name=createElement>`, `document.createElement` is that
 * image. Form fields do the same to their form. Accessors and methods on the prototype can't be shadowed, so we use
 * those. `window` doesn't need this, because named elements come last in its lookup and `location` can't be shadowed.
 *
 * Prototype.js and MooTools replace built-in functions with their own, which differ: `Array.from` ignores iterators,
 * `Object.values` includes inherited properties, and `remove` throws without a parent. So the loader uses spread syntax,
 * `Object.entries` and {@link removeNode}; the build checks that.
 */

export const createElement = <K extends keyof HTMLElementTagNameMap>(name: K): HTMLElementTagNameMap[K] => {
  return Document.prototype.createElement.call(document, name) as HTMLElementTagNameMap[K]; // `call` loses the overload by tag name
};

/** @throws DOMException for an invalid selector */
export const queryAll = (selector: string): Element[] => [
  ...Document.prototype.querySelectorAll.call(document, selector),
];

/** Removes a node from its parent, if it has one. */
export const removeNode = (node: ChildNode | null | undefined): void => {
  node?.replaceWith();
};

export const hasParsed = (): boolean => documentHas("readyState") !== "loading";

/** Runs the job when the page isn't prerendering, which only Chromium does. */
export const whenActive = (job: () => void): void => {
  if (documentHas("prerendering")) onDocument("prerenderingchange", job);
  else job();
};

/** Adds a listener to the document and returns a function that removes it. */
export const onDocument = <E extends Event>(type: string, listener: (event: E) => void): (() => void) => {
  const { addEventListener, removeEventListener } = EventTarget.prototype;
  addEventListener.call(document, type, listener as EventListener); // the caller's event matches the type
  return () => removeEventListener.call(document, type, listener as EventListener);
};

/** `<html>`. */
export const rootElement = (): HTMLElement => {
  return documentHas("documentElement") as HTMLElement; // always an HTMLElement in an HTML page
};

/**
 * Adds a style sheet with this rule to the page, which `style-src` doesn't restrict.
 *
 * @returns a function that removes it
 */
export const addRule = (rule: string): (() => void) => {
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(rule);
  const others = () => [...(documentHas("adoptedStyleSheets") as CSSStyleSheet[])].filter((other) => other !== sheet);
  const set = (sheets: CSSStyleSheet[]) => Reflect.set(Document.prototype, "adoptedStyleSheets", sheets, document);
  set([...others(), sheet]);
  return () => set(others());
};

/** Yields the element and its ancestors up to `<html>`, across shadow roots. */
export function* levelsOf(element: Element): Generator<Element> {
  for (let node: Element | null = element; node;) {
    yield node;
    const parent: ParentNode | null = Reflect.get(Node.prototype, "parentNode", node);
    node = parent instanceof Element ? parent : parent instanceof ShadowRoot ? parent.host : null;
  }
}

/**
 * Whether this iframe has the focus. `:focus` doesn't work, because in Chromium a cross-origin iframe never matches it.
 */
export const hasFocus = (element: HTMLIFrameElement): boolean => {
  const root = element.getRootNode();
  if (root instanceof ShadowRoot) return root.activeElement === element;
  return root === document && documentHas("activeElement") === element;
};

/**
 * The URL of the running classic script, or null in a module or a bundle. Call it while the script is evaluated, not
 * later.
 */
export const currentScriptUrl = (): string | null => {
  const script = documentHas("currentScript");
  return script instanceof HTMLScriptElement && script.src !== "" ? script.src : null;
};

const documentHas = (property: keyof Document | "prerendering"): unknown =>
  Reflect.get(Document.prototype, property, document);
