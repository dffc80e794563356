/** A file that pages of any origin may load, with `integrity` or without, under COEP or not. */
import type { FastifyReply } from "fastify";
import { sendCompressed } from "./send-compressed.ts";

/** Never changes under its address. */
export const immutable = "public, max-age=31536000, immutable";

export function sendScript(reply: FastifyReply, script: Buffer, cacheControl: string): FastifyReply {
  return sendCompressed(forAnyOrigin(reply, cacheControl).type("text/javascript; charset=utf-8"), script);
}

/** An SVG to be shown as a picture; opened by itself it is a document that may do nothing. */
export function sendDrawing(reply: FastifyReply, drawing: Buffer, cacheControl: string): FastifyReply {
  void forAnyOrigin(reply, cacheControl)
    .type("image/svg+xml")
    .header("content-security-policy", "default-src 'none'; sandbox");
  return sendCompressed(reply, drawing);
}

export function forAnyOrigin(reply: FastifyReply, cacheControl: string): FastifyReply {
  return reply
    .header("access-control-allow-origin", "*")
    .header("cross-origin-resource-policy", "cross-origin")
    .header("x-content-type-options", "nosniff")
    .header("cache-control", cacheControl);
}
