/** Errors of the dashboard's routes: a code from `protocol/dashboard/errors.ts` and a message for the user. */
import type { FastifyInstance } from "fastify";
import {
  dashboardErrorCodes,
  type DashboardErrorBody,
  type DashboardErrorCode,
} from "@oriel/protocol/dashboard/errors";
import { ChangedMeanwhileError } from "../../../platform/changed-meanwhile.ts";
import { ApiError } from "../../../platform/errors.ts";

export class DashboardError extends Error {
  override readonly name = "DashboardError";
  readonly code: DashboardErrorCode;
  readonly param: string | undefined;

  constructor(code: DashboardErrorCode, message: string, param?: string) {
    super(message);
    this.code = code;
    this.param = param;
  }
}

/** Returns the error for an exceeded rate limit. @param what a plural, such as "attempts" */
export function tooMany(what: string, seconds: number): ApiError {
  const wait = seconds === 1 ? "1 second" : `${seconds} seconds`;
  return new ApiError("rate_limited", `Too many ${what}. Try again in ${wait}.`, { retryAfterSeconds: seconds });
}

/** Other errors go to the service's error handler, which uses the API's error codes. */
export function sendDashboardErrors(app: FastifyInstance): void {
  app.setErrorHandler((error, _request, reply) => {
    const refusal =
      error instanceof ChangedMeanwhileError ? new DashboardError("changed_meanwhile", error.message) : error;
    if (!(refusal instanceof DashboardError)) throw refusal;
    const { code, message, param } = refusal;
    const body: DashboardErrorBody = { error: { code, message, ...(param === undefined ? {} : { param }) } };
    return reply.code(dashboardErrorCodes[code]).send(body);
  });
}
