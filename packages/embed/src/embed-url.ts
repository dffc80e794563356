/**
 * Reads an `embed_url`: `https://<checkout origin>/c/<session id>#<client secret>`.
 *
 * Its origin is the one the merchant's server named; every later message goes to exactly that origin. Refused is whatever the service
 * would not have written: another scheme, a user name, another path, a query, no fragment. The fragment is a secret, so no error
 * repeats what was passed.
 */

export interface EmbedUrl {
  /** As the browser will load it. */
  href: string;
  origin: string;
}

/** @throws TypeError that says what is wrong, without the value. */
export function readEmbedUrl(value: unknown): EmbedUrl {
  if (typeof value !== "string" || value === "")
    throw refusal("is missing: pass the embed_url that creating the session answered");
  if (value.length > 2048) throw refusal("is longer than 2048 characters");
  const url = parse(value);
  if (!url) throw refusal("is not an absolute URL");
  if (url.protocol !== "https:" && url.protocol !== "http:") throw refusal("must begin with https:// or http://");
  if (url.username || url.password) throw refusal("must not hold a user name or password");
  if (!/^\/c\/[0-9A-Za-z_]{1,80}$/.test(url.pathname)) throw refusal("must have the path /c/<session id>");
  if (url.search) throw refusal("must not have a query");
  if (url.hash.length < 2) throw refusal("has lost its fragment, the part after #: pass the whole embed_url");
  return { href: url.href, origin: url.origin };
}

function parse(value: string): URL | null {
  try {
    return new URL(value);
  } catch {
    return null;
  }
}

function refusal(what: string): TypeError {
  return new TypeError(`Oriel: embedUrl ${what}.`);
}
