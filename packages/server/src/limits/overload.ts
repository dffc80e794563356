/**
 * Tells a database that is busy or gone from a bug: the caller of the first may come back in a moment, and is told so (503), instead of that
 * something is broken (500). Whether the request did anything is open; its Idempotency-Key makes it safe to send again.
 */
import { ApiError } from "../errors.ts";

/** PostgreSQL's codes: no connection (08), out of resources (53), told to stop (57), lock not to be had, and transactions that lost a race. */
const databaseCodes = /^(08...|53...|57P0.|57014|55P03|40001|40P01)$/;
const networkCodes = ["ECONNREFUSED", "ECONNRESET", "EPIPE", "ETIMEDOUT", "ENOTFOUND", "EAI_AGAIN"];
/** What the client library says without a code: no free connection in time, a server that vanished. */
const clientMessages =
  /^(timeout exceeded when trying to connect|Connection terminated|Query read timeout|Client has encountered a connection error)/;

/** Null for anything else. */
export function asOverload(error: unknown): ApiError | null {
  if (!(error instanceof Error)) return null;
  const code = "code" in error ? String(error.code) : "";
  const isOverload = databaseCodes.test(code) || networkCodes.includes(code) || clientMessages.test(error.message);
  return isOverload ? serviceUnavailable() : null;
}

export function serviceUnavailable(): ApiError {
  return new ApiError(
    "service_unavailable",
    "The service cannot answer just now. Send the request again shortly, under the same Idempotency-Key.",
    {
      retryAfterSeconds: 1,
    },
  );
}
