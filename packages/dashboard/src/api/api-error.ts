/**
 * A failed request: a stable code, a message for the user and, if the error is about a field, the field.
 */
export class RequestError extends Error {
  override readonly name = "Refusal";
  /** An error code of the dashboard or of the API, or one that the page sets, such as `unreachable`. */
  readonly code: string;
  readonly param: string | null;
  readonly status: number;
  /** Shown to users so that they can report it to the operator. */
  readonly requestId: string | null;

  constructor(message: string, { code, param = null, status, requestId = null }: RefusalDetails) {
    super(message);
    this.code = code;
    this.param = param;
    this.status = status;
    this.requestId = requestId;
  }
}

interface RefusalDetails {
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
