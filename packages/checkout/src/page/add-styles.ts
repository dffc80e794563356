/** Appends a constructed style sheet, the only kind that our CSP allows. */
export function addStyles(document: Document, css: string): void {
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(css);
  document.adoptedStyleSheets = [...document.adoptedStyleSheets, sheet];
}
