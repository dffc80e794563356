/**
 * Back to where somebody was when the session ended. Only ever a path of this origin: who sends a link decides what is
 * in it.
 */

export function signInPath(from: string): string {
  return from === "/" ? "/sign-in" : `/sign-in?return=${encodeURIComponent(from)}`;
}

/** Where the reader is. */
export function here(): string {
  const { pathname, search } = globalThis.location;
  return pathname + search;
}

/** @param search of the sign-in page's address; @returns a path of this origin, `/` for anything else */
export function returnPath(search: string, origin = globalThis.location.origin): string {
  const wish = new URLSearchParams(search).get("return");
  if (wish === null || !wish.startsWith("/")) return "/";
  const url = URL.parse(wish, origin);
  if (url === null || url.origin !== origin) return "/";
  // What `/.//evil.example/` comes down to is another site's address, read once more.
  return url.pathname.startsWith("//") ? "/" : url.pathname + url.search;
}
