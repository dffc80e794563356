/**
 * Finds a header in whatever a web framework calls headers: a `Headers` object, Node's `request.headers`, or a plain
 * record. Names are compared without regard to case, and only own properties count. A header that is there twice is
 * ambiguous and is refused, for whoever reads it next might take the other one.
 */
import { WebhookVerificationError } from "./webhook-verification-error.ts";

export type WebhookHeaders = Headers | Readonly<Record<string, string | readonly string[] | undefined>>;

/** Longest signature header that is looked at, in characters: room for a few dozen signatures. */
const maxHeaderLength = 4096;

/** The header's value; null when it is absent. `name` is lower case. */
export function findHeader(headers: WebhookHeaders, name: string): string | null {
  const values = isHeadersObject(headers) ? [headers.get(name)] : ownValues(headers, name);
  const present = values.filter((value) => value !== null);
  if (present.length > 1)
    throw new WebhookVerificationError("signature_mismatch", `The header ${name} is there more than once.`);
  const [value] = present;
  if (value === undefined) return null;
  if (typeof value !== "string" || value.length > maxHeaderLength) {
    throw new WebhookVerificationError(
      "signature_mismatch",
      `The header ${name} is not a text of at most ${maxHeaderLength} characters.`,
    );
  }
  return value;
}

/**
 * By what it can do, not by its class: frameworks and sandboxes have a `Headers` of their own. No header's value is a
 * function.
 */
function isHeadersObject(headers: WebhookHeaders): headers is Headers {
  return typeof headers.get === "function";
}

function ownValues(headers: object, name: string): unknown[] {
  return Object.entries(headers)
    .filter(([key, value]) => key.toLowerCase() === name && value !== undefined && value !== null)
    .flatMap(([, value]: [string, unknown]) => value);
}
