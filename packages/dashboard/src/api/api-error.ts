/**
 * A failed request: a stable code, a message for the user and, if the error is about a field, the field.
 */
import type { DashboardErrorBody } from "@oriel/protocol/dashboard";

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

/** Reads an error response. `answer` is its parsed body. */
export function requestErrorFrom(status: number, requestId: string | null, answer: unknown): RequestError {
  const { error } = (answer ?? {}) as Partial<DashboardErrorBody>; // the shape of all our error responses
  if (error === undefined)
    return new RequestError(`The service returned an unexpected error (${status}). Try again.`, {
      code: "unreadable",
      status,
      requestId,
    });
  return new RequestError(error.message, { code: error.code, param: error.param ?? null, status, requestId });
}
