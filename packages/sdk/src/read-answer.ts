/**
 * Turns what came back over HTTP into a result or an error.
 *
 * It trusts the service for what an answer means, because the service validates what it sends against the schemas the
 * types come from. It does not trust that the service is what answered: proxies have pages and redirects of their own,
 * and those are `response_malformed`.
 */
import type { ErrorBody } from "@oriel/protocol/errors";
import {
  OrielApiError,
  OrielAuthenticationError,
  OrielCardError,
  OrielConnectionError,
  OrielError,
  type OrielErrorDetails,
  OrielIdempotencyError,
  OrielInvalidRequestError,
  OrielRateLimitError,
} from "./oriel-error.ts";

/** Answers larger than this are not read, in bytes. A page of 100 events has a few hundred thousand. */
const maxAnswerBytes = 8_000_000;

/**
 * The body of an answer that is a success.
 * @throws OrielError for every other answer; whatever the stream throws when the connection breaks
 */
export async function readAnswer<T>(
  answer: Response,
  sent: Pick<OrielErrorDetails, "idempotencyKey" | "retries">,
): Promise<T> {
  const text = await readText(answer);
  const body = text === null ? null : parse(text);
  if (answer.ok && isRecord(body)) return body as T; // Validated by the service; a caller names the type of its own endpoint.
  const details = {
    ...sent,
    status: answer.status,
    requestId: answer.headers.get("request-id"),
    retryAfterSeconds: readRetryAfter(answer.headers),
  };
  if (!answer.ok && isErrorBody(body)) throw refusal(body.error, details);
  const message =
    text === null
      ? `HTTP ${answer.status} with an answer of more than ${maxAnswerBytes} bytes: is apiUrl the payment service?`
      : `HTTP ${answer.status} without the API's JSON: is apiUrl the payment service?`;
  throw new OrielConnectionError({ ...details, code: "response_malformed", message });
}

/** Null when there is too much of it. */
async function readText(answer: Response): Promise<string | null> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of answer.body ?? []) {
    bytes += chunk.byteLength;
    if (bytes > maxAnswerBytes) return null; // Leaving the loop cancels the stream.
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString("utf8");
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

function refusal(
  error: ErrorBody["error"],
  answered: Omit<OrielErrorDetails, "type" | "code" | "message" | "param">,
): OrielError {
  const { type, code, message, param, decline_code } = error;
  const details: OrielErrorDetails = { ...answered, type, code, message, param: param ?? null };
  switch (type) {
    case "invalid_request_error":
      return new OrielInvalidRequestError(details);
    case "authentication_error":
      return new OrielAuthenticationError(details);
    case "card_error":
      return new OrielCardError({ ...details, declineCode: decline_code ?? "generic_decline" });
    case "idempotency_error":
      return new OrielIdempotencyError(details);
    case "rate_limit_error":
      return new OrielRateLimitError(details);
    case "api_error":
      return new OrielApiError(details);
  }
  return new OrielError(details); // A type that only a newer service knows.
}

/**
 * Seconds, or a date (a proxy's habit), which is measured from the answer's own `Date`: our clock and theirs may
 * differ.
 * https://www.rfc-editor.org/rfc/rfc9110#section-10.2.3
 */
function readRetryAfter(headers: Headers): number | null {
  const text = headers.get("retry-after") ?? "";
  if (/^[0-9]{1,9}$/.test(text)) return Number(text);
  const seconds = (Date.parse(text) - Date.parse(headers.get("date") ?? "")) / 1000;
  return Number.isFinite(seconds) ? Math.max(0, seconds) : null;
}

function isErrorBody(body: unknown): body is ErrorBody {
  if (!isRecord(body) || !isRecord(body["error"])) return false;
  const { type, code, message } = body["error"];
  return [type, code, message].every((field) => typeof field === "string");
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
