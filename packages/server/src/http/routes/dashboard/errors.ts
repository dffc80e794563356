/**
 * How the dashboard's routes say no: a code of the closed list in `protocol/dashboard.ts`, and a sentence for the
 * person in front of the page.
 */
import type { FastifyInstance } from "fastify";
import { dashboardErrorCodes, type DashboardErrorBody, type DashboardErrorCode } from "@oriel/protocol/dashboard";

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

/**
 * What is no {@link DashboardError} goes on to the service's own handler, and comes out with a code of the API's list.
 */
export function sendDashboardErrors(app: FastifyInstance): void {
  app.setErrorHandler((error, _request, reply) => {
    if (!(error instanceof DashboardError)) throw error;
    const { code, message, param } = error;
    const body: DashboardErrorBody = { error: { code, message, ...(param === undefined ? {} : { param }) } };
    return reply.code(dashboardErrorCodes[code]).send(body);
  });
}
