/** Reads data from a vendor. It comes from another company, so every field is `unknown` until it's checked. */

/** Returns an object's fields with unknown values, or no fields for any other value. */
export function fieldsOf(value: unknown): Record<string, unknown> {
  return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {};
}

/** Rejects NUL characters, because PostgreSQL can't store them, so the whole response would be lost, even a decline. */
export function isText(value: unknown, most: number): value is string {
  return typeof value === "string" && value.length > 0 && value.length <= most && !value.includes("\0");
}

/** Whether it is a code of two digits, as in EMV 3DS messages. */
export function isTwoDigits(value: unknown): value is string {
  return typeof value === "string" && /^\d\d$/.test(value);
}

/** Returns a text, or null for anything else. */
export function textOrNull(value: unknown, most: number): string | null {
  return isText(value, most) ? value : null;
}

/**
 * Returns an explanation by the vendor or the issuer, or null if it could contain card data: twelve digits with anything
 * between them, or an expiry date.
 */
export function reasonOrNull(value: unknown): string | null {
  const reason = textOrNull(value, 256);
  if (reason === null || /\d{1,2}\s*\/\s*\d{2}/.test(reason)) return null;
  return /\d{12}/.test(reason.replace(/[^\p{L}\d]/gu, "")) ? null : reason;
}
