/**
 * The body for what never becomes a request: a client that is too slow, headers that are too large, bytes that aren't HTTP. None of it is logged:
 * the error carries the raw bytes, and a secret key may be among them.
 */
import { ApiError } from "../../platform/errors.ts";

export function unreadableRequest({ code }: { code?: string }): string {
  return JSON.stringify(new ApiError("body_malformed", sentenceFor(code)).toBody());
}

function sentenceFor(code: string | undefined): string {
  if (code === "ERR_HTTP_REQUEST_TIMEOUT") return "The request did not arrive in time. Send it without a pause.";
  return code === "HPE_HEADER_OVERFLOW" ? "The headers are too large." : "The request cannot be read.";
}
