/**
 * Returns the token of an `Authorization: Bearer` header (RFC 6750, section 2.1), "" if the header contains something
 * else, and null if there is no header.
 */
export function readBearer(authorization: string | undefined): string | null {
  return authorization === undefined ? null : (/^Bearer (\S{1,500})$/i.exec(authorization)?.[1] ?? "");
}
