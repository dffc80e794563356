/**
 * A failed request: a stable code, a message for the user and, if the error is about a field, the field.
 */
import type { DashboardErrorBody } from "@oriel/protocol/dashboard/errors";
import { allVisible } from "@oriel/protocol/hidden-characters";

export class RequestError extends Error {
  override readonly name = "RequestError";
  /** An error code of the dashboard or of the API, or one that the page sets, such as `unreachable`. */
  readonly code: string;
  readonly param: string | null;
  readonly status: number;
  /** Shown to users so that they can report it to the operator. */
  readonly requestId: string | null;

  constructor(message: string, { code, param = null, status, requestId = null }: RequestErrorDetails) {
    super(message);
    this.code = code;
    this.param = param;
    this.status = status;
    this.requestId = requestId;
  }
}

interface RequestErrorDetails {
  code: string;
  param?: string | null;
  /** 0 if there was no response. */
  status: number;
  requestId?: string | null;
}

/** Turns any thrown value into an error that a page can show. */
export function requestErrorOf(error: unknown): RequestError {
  if (error instanceof RequestError) return error;
  return new RequestError("Something went wrong on this page. Reload it.", { code: "page_failed", status: 0 });
}

/**
 * Reads a response of the service. Every route responds with a JSON object. Anything else comes from something between
 * the page and the service, such as a proxy, and doesn't tell what the service did.
 *
 * @param body the parsed body, or null if it isn't JSON
 * @throws RequestError
 */
export function readResponse<Data>(status: number, requestId: string | null, body: unknown): Data {
  const isOk = status >= 200 && status < 300;
  // The response has the route's type, because both sides come from one build. Strangers may have written some of the
  // texts, so hidden characters are made visible.
  if (isOk && typeof body === "object" && body !== null) return allVisible(body) as Data;
  const { error } = (body ?? {}) as Partial<DashboardErrorBody>; // checked below
  if (!isOk && typeof error?.code === "string" && typeof error.message === "string")
    throw new RequestError(error.message, { code: error.code, param: error.param ?? null, status, requestId });
  throw new RequestError(
    isOk
      ? "The service's response couldn't be read. Reload the page to see what has changed."
      : `The service returned an unexpected error (${status}). Try again.`,
    { code: "unreadable", status, requestId },
  );
}

/** Whether the service may have done what was requested: there was no response from it, or it failed. */
export function isOutcomeUnknown(error: unknown): boolean {
  const { code, status } = requestErrorOf(error);
  return status === 0 || status >= 500 || code === "unreadable";
}

/** Whether the service refused to overwrite a change that the user hasn't seen. */
export function isChangedMeanwhile(error: unknown): boolean {
  return requestErrorOf(error).code === "changed_meanwhile";
}
