/**
 * Requires `Authorization: Bearer <key>`. It runs before the body is read, so that nobody without the key can make the
 * bank parse anything.
 */
import type { onRequestHookHandler } from "fastify";
import { checkKey } from "./check-key.ts";

export function requireBearer(key: string): onRequestHookHandler {
  const isKey = checkKey(key);
  return function checkBearer(request, reply, done) {
    if (isKey(/^Bearer ([\x21-\x7e]{1,500})$/i.exec(request.headers.authorization ?? "")?.[1])) return done();
    reply
      .code(401)
      .header("www-authenticate", "Bearer")
      .send({ error: { message: "Send the key the bank gave you as `Authorization: Bearer <key>`." } });
  };
}
