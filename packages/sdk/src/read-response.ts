/**
 * Turns an HTTP response into a result or an error. The service validates its responses against the schemas that the
 * types come from, so they aren't validated again. But a proxy may respond instead of the service. Its pages and
 * redirects become `response_malformed`.
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

/** Responses larger than this are refused, in bytes. A page of 100 events has a few hundred thousand. */
const maxResponseBytes = 8_000_000;

/**
 * Reads the body of a successful response.
 *
 * @throws OrielError for every other response, and any error of the stream if the connection breaks
 */
export async function readResponse<T>(
  response: Response,
  sent: Pick<OrielErrorDetails, "idempotencyKey" | "retries">,
): Promise<T> {
  const text = await readText(response);
  const body = text === null ? null : parse(text);
  if (response.ok && isRecord(body)) return body as T; // validated by the service; T is the endpoint's type
  const details = {
    ...sent,
    status: response.status,
    requestId: response.headers.get("request-id"),
    retryAfterSeconds: readRetryAfter(response.headers),
  };
  if (!response.ok && isErrorBody(body)) throw errorOf(body.error, details);
  const message =
    text === null
      ? `The response (HTTP ${response.status}) is larger than ${maxResponseBytes} bytes. Check that apiUrl is the payment service's URL.`
      : `The response (HTTP ${response.status}) isn't valid JSON from the Oriel API. Check that apiUrl is the payment service's URL.`;
  throw new OrielConnectionError({ ...details, code: "response_malformed", message });
}

/** Returns null if the body is too large. */
async function readText(response: Response): Promise<string | null> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of response.body ?? []) {
    bytes += chunk.byteLength;
    if (bytes > maxResponseBytes) return null; // leaving the loop cancels the stream
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

function errorOf(
  error: ErrorBody["error"],
  received: Omit<OrielErrorDetails, "type" | "code" | "message" | "param">,
): OrielError {
  const { type, code, message, param, decline_code } = error;
  const details: OrielErrorDetails = { ...received, type, code, message, param: param ?? null };
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
  return new OrielError(details); // a type that only a newer service knows
}

/**
 * Reads seconds, or a date as some proxies send. A date is compared with the response's own `Date`, because our clock
 * may differ. https://www.rfc-editor.org/rfc/rfc9110#section-10.2.3
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
