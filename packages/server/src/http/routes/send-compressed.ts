/**
 * Sends what was built, compressed as far as the browser reads it: brotli before gzip before nothing (RFC 9110,
 * 12.5.3).
 *
 * Only for bytes that are the same for everyone and hold no secret, since the length of a compressed answer tells of
 * what is in it; and that the service holds as long as it runs, since each file is compressed once, when it is first
 * asked for, and kept.
 */
import { brotliCompressSync, constants, gzipSync } from "node:zlib";
import { sharesBody } from "@oriel/http-listener";
import type { FastifyReply } from "fastify";

/** The best quality takes 2 seconds for a megabyte, during which the process serves nobody. Quality 5 takes 60 ms. */
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

/** The body to send, whose headers it sets. */
export function compressedFor(reply: FastifyReply, bytes: Buffer): Buffer {
  vary(reply);
  sharesBody(reply.raw);
  const encoding = preferredEncoding(reply.request.headers["accept-encoding"]);
  if (encoding === null) return bytes;
  void reply.header("content-encoding", encoding);
  return inEncoding(encoding, bytes);
}

/** What an answer already varies by, it goes on varying by. */
function vary(reply: FastifyReply): void {
  const known = reply.getHeader("vary");
  void reply.header("vary", typeof known === "string" ? `${known}, Accept-Encoding` : "Accept-Encoding");
}

/** Null: as it is. */
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
  const kept = compressed.get(bytes) ?? {};
  compressed.set(bytes, kept);
  return (kept[encoding] ??= encoders[encoding](bytes));
}
