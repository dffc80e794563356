/** Puts a style sheet behind those that the page has: constructed, as the policy allows no other. */
export function addStyles(document: Document, css: string): void {
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(css);
  document.adoptedStyleSheets = [...document.adoptedStyleSheets, sheet];
}
