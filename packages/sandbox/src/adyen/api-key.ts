/**
 * Requires Adyen's `x-api-key`. It runs before the body is read, so that nobody without the key can make the bank parse
 * anything.
 */
import type { onRequestHookHandler } from "fastify";
import { checkKey } from "../check-key.ts";
import type { ServiceError } from "./messages.ts";

const unauthorized: ServiceError = {
  status: 401,
  errorCode: "000",
  errorType: "security",
  message: "Send your API key as `x-api-key`.",
};

export function requireApiKey(key: string): onRequestHookHandler {
  const isKey = checkKey(key);
  return function checkApiKey(request, reply, done) {
    if (isKey(request.headers["x-api-key"])) return done();
    reply.code(401).send(unauthorized);
  };
}
