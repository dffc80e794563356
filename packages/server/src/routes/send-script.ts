/** A file that pages of any origin may load, with `integrity` or without, under COEP or not. */
import type { FastifyReply } from "fastify";

/** Never changes under its address. */
export const immutable = "public, max-age=31536000, immutable";

export function sendScript(reply: FastifyReply, script: Buffer, cacheControl: string): FastifyReply {
  return forAnyOrigin(reply, cacheControl).type("text/javascript; charset=utf-8").send(script);
}

export function forAnyOrigin(reply: FastifyReply, cacheControl: string): FastifyReply {
  return reply
    .header("access-control-allow-origin", "*")
    .header("cross-origin-resource-policy", "cross-origin")
    .header("x-content-type-options", "nosniff")
    .header("cache-control", cacheControl);
}
