/**
 * Errors in the shape of Adyen's API. Validation messages name fields and never quote values. The codes are from
 * Adyen's documentation and recorded responses: 130 (reference), 14030 (return URL), 100 (amount), otherwise 702.
 */
import type { FastifyError, FastifyInstance } from "fastify";
import { UnreadableRequest } from "../read-strictly.ts";
import type { ServiceError } from "./messages.ts";

const missingFields: Record<string, string> = { reference: "130", returnUrl: "14030", amount: "100" };

export function handleErrors(app: FastifyInstance, onBug: (error: Error) => void): void {
  app.setErrorHandler<FastifyError>((error, _request, reply) => {
    const status = error.statusCode ?? 500;
    if (status >= 500) onBug(error);
    const body = serviceError(error, status);
    return reply.code(body.status).send(body);
  });
}

function serviceError(error: FastifyError, status: number): ServiceError {
  const errorType = "validation";
  if (error.code === "FST_ERR_VALIDATION") {
    const missing: unknown = error.validation?.[0]?.params["missingProperty"];
    const errorCode = (typeof missing === "string" && missingFields[missing]) || "702";
    return { status: 422, errorCode, errorType, message: error.message };
  }
  if (status >= 500) return { status, errorCode: "000", errorType: "internal", message: "An internal error occurred." };
  const message = error instanceof UnreadableRequest ? error.message : "The request isn't JSON.";
  return { status, errorCode: "702", errorType, message };
}
