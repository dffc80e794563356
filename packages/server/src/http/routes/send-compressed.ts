/**
 * Compresses and sends built files: with brotli if the browser accepts it, or else with gzip, or not at all if it
 * accepts neither (RFC 9110, 12.5.3).
 *
 * Use it only for bytes that are the same for everyone and contain no secret, because the length of a compressed
 * response leaks information about its content. The bytes must also stay in memory as long as the service runs: each
 * file is compressed once, on its first request, and the result is kept.
 */
import { brotliCompressSync, constants, gzipSync } from "node:zlib";
import type { FastifyReply } from "fastify";
import { sharesBody } from "@oriel/http-listener";

/** The highest quality would block the process for 2 seconds per megabyte. Quality 5 takes 60 ms. */
const largeBytes = 128 * 1024;
const quality = (bytes: Buffer) => (bytes.length > largeBytes ? 5 : constants.BROTLI_MAX_QUALITY);

const encoders = {
  br: (bytes: Buffer) =>
    brotliCompressSync(bytes, {
      params: { [constants.BROTLI_PARAM_QUALITY]: quality(bytes), [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length },
    }),
  gzip: (bytes: Buffer) => gzipSync(bytes, { level: 9 }),
};

type Encoding = keyof typeof encoders;

const compressed = new WeakMap<Buffer, Partial<Record<Encoding, Buffer>>>();

export function sendCompressed(reply: FastifyReply, bytes: Buffer): FastifyReply {
  return reply.send(compressedFor(reply, bytes));
}

/** Returns the body to send and sets its headers. */
export function compressedFor(reply: FastifyReply, bytes: Buffer): Buffer {
  vary(reply);
  sharesBody(reply.raw);
  const encoding = preferredEncoding(reply.request.headers["accept-encoding"]);
  if (encoding === null) return bytes;
  void reply.header("content-encoding", encoding);
  return inEncoding(encoding, bytes);
}

/** Adds `Accept-Encoding` to the `Vary` header. */
function vary(reply: FastifyReply): void {
  const known = reply.getHeader("vary");
  void reply.header("vary", typeof known === "string" ? `${known}, Accept-Encoding` : "Accept-Encoding");
}

/** Returns null if the bytes must be sent uncompressed. */
export function preferredEncoding(accepted: string | undefined): Encoding | null {
  const named = (accepted ?? "")
    .split(",")
    .map((part) => part.trim().toLowerCase())
    .filter((part) => !/;\s*q=0(\.0*)?$/.test(part))
    .map((part) => part.split(";")[0]?.trim());
  if (named.includes("br")) return "br";
  return named.includes("gzip") ? "gzip" : null;
}

function inEncoding(encoding: Encoding, bytes: Buffer): Buffer {
  const cached = compressed.get(bytes) ?? {};
  compressed.set(bytes, cached);
  return (cached[encoding] ??= encoders[encoding](bytes));
}
