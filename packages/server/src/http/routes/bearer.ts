/**
 * What stands behind `Bearer` in an Authorization header (RFC 6750, section 2.1); empty if it says something else, null
 * if there is none.
 */
export function readBearer(authorization: string | undefined): string | null {
  return authorization === undefined ? null : (/^Bearer (\S{1,500})$/i.exec(authorization)?.[1] ?? "");
}
