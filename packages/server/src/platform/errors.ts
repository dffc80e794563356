/**
 * A caller's mistake or a refusal on its way to HTTP: a code of the closed list, and a sentence that says what to do.
 */
import type { DeclineCode } from "@oriel/protocol/declines";
import { errorCodes, statusOfCode, statusOfType, type ErrorBody, type ErrorCode } from "@oriel/protocol/errors";

export interface ApiErrorDetails {
  param?: string;
  declineCode?: DeclineCode;
  /** For `resource_missing`: 404 when the id was in the path, else the type's own status. */
  status?: 404;
  retryAfterSeconds?: number;
}

export class ApiError extends Error {
  override readonly name = "ApiError";
  readonly code: ErrorCode;
  readonly details: ApiErrorDetails;

  constructor(code: ErrorCode, message: string, details: ApiErrorDetails = {}) {
    super(message);
    this.code = code;
    this.details = details;
  }

  get status(): number {
    return this.details.status ?? statusOfCode[this.code] ?? statusOfType[errorCodes[this.code]];
  }

  toBody(): ErrorBody {
    const { param, declineCode } = this.details;
    return {
      error: {
        type: errorCodes[this.code],
        code: this.code,
        message: this.message,
        ...(param === undefined ? {} : { param }),
        ...(declineCode === undefined ? {} : { decline_code: declineCode }),
      },
    };
  }
}

/**
 * An id in the path that names nothing this caller may see. An id of the other mode or of another account looks the
 * same.
 */
export function missingInPath(what: string, id: string): ApiError {
  return new ApiError("resource_missing", `There is no ${what} ${JSON.stringify(id.slice(0, 100))}.`, { status: 404 });
}

/** The same for an id in the body or the query. */
export function missingInBody(what: string, id: string, param: string): ApiError {
  return new ApiError("resource_missing", `There is no ${what} ${JSON.stringify(id.slice(0, 100))}.`, { param });
}

/** The database is busy or gone. Whether the request did anything is open. */
export function serviceUnavailable(): ApiError {
  return new ApiError(
    "service_unavailable",
    "The service cannot answer just now. Send the request again shortly, under the same Idempotency-Key.",
    { retryAfterSeconds: 1 },
  );
}
