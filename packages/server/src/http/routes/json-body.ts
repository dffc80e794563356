/**
 * Parses JSON bodies more strictly than `JSON.parse`: rejects whatever two parsers could read differently
 * (`protocol/src/json-text.ts`).
 */
import { isUtf8 } from "node:buffer";
import type { FastifyInstance } from "fastify";
import { findFault, isForeignCharset } from "@oriel/protocol/json-text";
import { ApiError } from "../../platform/errors.ts";

/** Accepts only bodies with `Content-Type: application/json` in UTF-8, uncompressed. */
export function readJsonStrictly(app: FastifyInstance): void {
  const parse = app.getDefaultJsonParser("error", "error");
  app.removeContentTypeParser("text/plain");
  app.addContentTypeParser("application/json", { parseAs: "buffer" }, (request, body: Buffer, done) => {
    if (isForeignCharset(request.headers["content-type"])) return done(foreignCharset());
    if (body.length === 0) return done(null, undefined); // no body, despite the header
    if (isGzip(body)) return done(compressed());
    if (!isUtf8(body)) {
      const isEncoded = Boolean(request.headers["content-encoding"]);
      return done(isEncoded ? compressed() : malformed("isn't valid UTF-8"));
    }
    const text = body.toString("utf8");
    if (text.startsWith("\ufeff")) return done(malformed("starts with a byte-order mark"));
    void parse(request, text, (error, value) => {
      const fault = error === null ? findFault(text) : null;
      done(fault === null ? error : malformed(fault), value);
    });
  });
}

function malformed(fault: string): ApiError {
  return new ApiError("body_malformed", `The JSON body can't be processed because it ${fault}.`);
}

/**
 * By its first bytes. The header isn't enough: some proxies unpack the body or lose the header, and some clients send a
 * charset in it.
 */
function isGzip(body: Buffer): boolean {
  return body[0] === 0x1f && body[1] === 0x8b;
}

function compressed(): ApiError {
  return new ApiError(
    "content_type_unsupported",
    "Compressed bodies aren't supported. Send the body uncompressed, without the `Content-Encoding` header.",
  );
}

function foreignCharset(): ApiError {
  return new ApiError(
    "content_type_unsupported",
    "JSON must be encoded in UTF-8. Send the body in UTF-8 with `Content-Type: application/json`.",
  );
}
