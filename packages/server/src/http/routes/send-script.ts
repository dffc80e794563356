/** Sends files that pages on any origin can load, with or without `integrity` and COEP. */
import type { FastifyReply } from "fastify";
import { sendCompressed } from "./send-compressed.ts";

/** For a URL whose content never changes. */
export const immutable = "public, max-age=31536000, immutable";

export function sendScript(reply: FastifyReply, script: Buffer, cacheControl: string): FastifyReply {
  return sendCompressed(forAnyOrigin(reply, cacheControl).type("text/javascript; charset=utf-8"), script);
}

/** Sends an SVG image. If it is opened as a document, its CSP prevents scripts and requests. */
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
