/**
 * The host page's document, asked in a way that its markup cannot answer for it.
 *
 * `<img name=createElement>` makes `document.createElement` that image: named elements shadow every property of `document`. The
 * accessors and methods on the prototype cannot be shadowed, so they are taken from there and called on the document.
 * (`window` needs no such care: named elements come last in its lookup, and `location` cannot be shadowed.)
 */

export function createElement<K extends keyof HTMLElementTagNameMap>(name: K): HTMLElementTagNameMap[K] {
  return Document.prototype.createElement.call(document, name) as HTMLElementTagNameMap[K]; // `call` forgets the overload by tag name.
}

/** @throws DOMException for what is not a selector. */
export function queryAll(selector: string): Element[] {
  return [...Document.prototype.querySelectorAll.call(document, selector)];
}

export function hasParsed(): boolean {
  return Reflect.get(Document.prototype, "readyState", document) !== "loading";
}

export function onParsed(listener: () => void): void {
  EventTarget.prototype.addEventListener.call(document, "DOMContentLoaded", listener);
}

/** Whether the keyboard is in this frame. `:focus` does not tell: in Chromium a frame of another origin that has it never matches. */
export function hasFocus(element: HTMLIFrameElement): boolean {
  const root = element.getRootNode();
  if (root instanceof ShadowRoot) return root.activeElement === element;
  return root === document && Reflect.get(Document.prototype, "activeElement", document) === element;
}

/**
 * The address of the classic script that runs right now; null in a module or a bundle.
 * Must be called while the script is evaluated, not later.
 */
export function currentScriptUrl(): string | null {
  const script: unknown = Reflect.get(Document.prototype, "currentScript", document);
  return script instanceof HTMLScriptElement && script.src !== "" ? script.src : null;
}
