/** An error for the API client: a code from a fixed list, and a message that says what to do. */
import type { DeclineCode } from "@oriel/protocol/declines";
import { errorCodes, statusOfCode, statusOfType, type ErrorBody, type ErrorCode } from "@oriel/protocol/errors";

export interface ApiErrorDetails {
  param?: string;
  declineCode?: DeclineCode;
  /** 404 for `resource_missing` if the ID was in the path. Otherwise the code and type determine the status. */
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

/** For an ID in the path. An object of another account or of the other mode counts as missing too. */
export function missingInPath(what: string, id: string): ApiError {
  return new ApiError("resource_missing", noSuch(what, id), { status: 404 });
}

/** For an ID in the body or the query. */
export function missingInBody(what: string, id: string, param: string): ApiError {
  return new ApiError("resource_missing", noSuch(what, id), { param });
}

function noSuch(what: string, id: string): string {
  return `No such ${what}: ${JSON.stringify(id.slice(0, 100))}.`;
}

/** For when the database is busy or unreachable. The request may or may not have taken effect. */
export function serviceUnavailable(): ApiError {
  return new ApiError(
    "service_unavailable",
    "The service is temporarily unavailable. Try again shortly with the same Idempotency-Key.",
    { retryAfterSeconds: 1 },
  );
}
