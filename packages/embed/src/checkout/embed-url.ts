/**
 * Reads an `embed_url`: `https://<checkout origin>/c/<session id>#<client secret>`.
 *
 * Its origin is the one the merchant's server named; every later message goes to exactly that origin. Refused is
 * whatever the service would not have written: another scheme, a user name, another path, a query, no fragment. The
 * fragment is a secret, so no error repeats what was passed.
 */

export interface EmbedUrl {
  /** As the browser will load it. */
  href: string;
  origin: string;
  sessionId: string;
}

/** @throws TypeError that says what is wanted, without the value. */
export function readEmbedUrl(value: unknown): EmbedUrl {
  const url = typeof value === "string" && value.length <= 2048 && parseUrl(value);
  if (!url || !/^https?:\/\/[^/@?#]+\/c\/[0-9A-Za-z_]{1,80}#.+$/.test(url.href)) {
    throw new TypeError("Oriel: embedUrl must be the whole embed_url, with the part after #.");
  }
  return { href: url.href, origin: url.origin, sessionId: url.pathname.slice(3) };
}

/** null for what is no address. */
export function parseUrl(value: string): URL | null {
  try {
    return new URL(value);
  } catch {
    return null;
  }
}
