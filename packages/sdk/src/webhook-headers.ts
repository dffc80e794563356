/**
 * Finds a header in a `Headers` object, Node's `request.headers` or a plain object. Names are case-insensitive, and
 * only own properties count. A repeated header is refused as ambiguous, because other code might use the other value.
 */
import { WebhookVerificationError } from "./webhook-verification-error.ts";

export type WebhookHeaders = Headers | Readonly<Record<string, string | readonly string[] | undefined>>;

/** Longest signature header that's accepted, in characters. It has room for a few dozen signatures. */
const maxHeaderLength = 4096;

/** Returns the header's value, or null if it's absent. `name` is lowercase. */
export function findHeader(headers: WebhookHeaders, name: string): string | null {
  const values = isHeadersObject(headers) ? [headers.get(name)] : ownValues(headers, name);
  const present = values.filter((value) => value !== null);
  if (present.length > 1)
    throw new WebhookVerificationError("signature_mismatch", `The header ${name} appears more than once.`);
  const [value] = present;
  if (value === undefined) return null;
  if (typeof value !== "string" || value.length > maxHeaderLength) {
    throw new WebhookVerificationError(
      "signature_mismatch",
      `The header ${name} must be a string of at most ${maxHeaderLength} characters.`,
    );
  }
  return value;
}

/**
 * Checks for the method instead of the class, because frameworks have their own `Headers`. In a plain object no value
 * is a function.
 */
function isHeadersObject(headers: WebhookHeaders): headers is Headers {
  return typeof headers.get === "function";
}

function ownValues(headers: object, name: string): unknown[] {
  return Object.entries(headers)
    .filter(([key, value]) => key.toLowerCase() === name && value !== undefined && value !== null)
    .flatMap(([, value]: [string, unknown]) => value);
}
