/**
 * Reads an `embed_url`: `https://<checkout origin>/c/<session id>#<client secret>`.
 *
 * All later messages go to exactly its origin. It refuses URLs that the service wouldn't create: those with another
 * scheme, a user name, another path, a query or no fragment. Errors never repeat the URL, because its fragment is a
 * secret.
 */

export interface EmbedUrl {
  /** The URL as the browser loads it. */
  href: string;
  origin: string;
  sessionId: string;
}

/** @throws TypeError that doesn't contain the value */
export const readEmbedUrl = (value: unknown): EmbedUrl => {
  const url = findEmbedUrl(value);
  if (!url) throw new TypeError("Oriel: embedUrl must be the full embed_url, with the part after #.");
  return url;
};

/** Returns null for a malformed URL. */
export const findEmbedUrl = (value: unknown): EmbedUrl | null => {
  const url = typeof value === "string" && value.length <= 2048 && parseUrl(value);
  return url && /^https?:\/\/[^/@?#]+\/c\/\w{1,80}#.+$/.test(url.href)
    ? { href: url.href, origin: url.origin, sessionId: url.pathname.slice(3) }
    : null;
};

/** Returns null if the text isn't a URL. */
export const parseUrl = (value: string): URL | null => {
  try {
    return new URL(value);
  } catch {
    return null;
  }
};
