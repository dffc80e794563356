/**
 * Returns the token of an `Authorization: Bearer` header (RFC 6750, section 2.1), "" if the token is empty or contains
 * spaces, and null if there is no header or it has another scheme.
 */
export function readBearer(authorization: string | undefined): string | null {
  if (authorization === undefined || !/^Bearer( |$)/i.test(authorization)) return null;
  return /^Bearer (\S{1,500})$/i.exec(authorization)?.[1] ?? "";
}
