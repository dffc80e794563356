/**
 * Requires Adyen's `x-api-key`. It runs before the body is read, so that nobody without the key can make the bank parse
 * anything. Hashes are compared in constant time, which also hides the key's length.
 */
import { createHash, timingSafeEqual } from "node:crypto";
import type { onRequestHookHandler } from "fastify";
import type { ServiceError } from "./messages.ts";

const unauthorized: ServiceError = {
  status: 401,
  errorCode: "000",
  errorType: "security",
  message: "Send your API key as `x-api-key`.",
};

export function requireApiKey(key: string): onRequestHookHandler {
  const expected = sha256(key);
  return function checkApiKey(request, reply, done) {
    const presented = request.headers["x-api-key"];
    if (typeof presented === "string" && timingSafeEqual(sha256(presented), expected)) return done();
    reply.code(401).send(unauthorized);
  };
}

function sha256(text: string): Buffer {
  return createHash("sha256").update(text).digest();
}
