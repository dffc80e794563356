/**
 * Requires `Authorization: Bearer <key>`. It runs before the body is read, so that nobody without the key can make the
 * bank parse anything. Hashes are compared in constant time, which also hides the key's length.
 */
import { createHash, timingSafeEqual } from "node:crypto";
import type { onRequestHookHandler } from "fastify";

export function requireBearer(key: string): onRequestHookHandler {
  const expected = sha256(key);
  return function checkBearer(request, reply, done) {
    const presented = /^Bearer ([\x21-\x7e]{1,500})$/i.exec(request.headers.authorization ?? "")?.[1];
    if (presented !== undefined && timingSafeEqual(sha256(presented), expected)) return done();
    reply
      .code(401)
      .header("www-authenticate", "Bearer")
      .send({ error: { message: "Send the key the bank gave you as `Authorization: Bearer <key>`." } });
  };
}

function sha256(text: string): Buffer {
  return createHash("sha256").update(text).digest();
}
