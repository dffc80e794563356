/**
 * Leads users back to the page where their session ended. Anyone can send a link to the sign-in page, so only paths on
 * this origin are accepted.
 */

export function signInPath(from: string): string {
  return from === "/" ? "/sign-in" : `/sign-in?return=${encodeURIComponent(from)}`;
}

/** The current path, with its query. */
export function here(): string {
  const { pathname, search } = globalThis.location;
  return pathname + search;
}

/**
 * @param search the query string of the sign-in page
 * @returns a path on this origin, `/` if the query has none
 */
export function returnPath(search: string, origin = globalThis.location.origin): string {
  const target = new URLSearchParams(search).get("return");
  if (target === null || !target.startsWith("/")) return "/";
  const url = URL.parse(target, origin);
  if (url === null || url.origin !== origin) return "/";
  // `/.//evil.example/` normalizes to `//evil.example/`, which would be another site when it's parsed again.
  return url.pathname.startsWith("//") ? "/" : url.pathname + url.search;
}
