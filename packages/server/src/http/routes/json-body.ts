/**
 * Reads JSON bodies, more strictly than `JSON.parse` alone: what two readers could understand differently is refused
 * (`protocol/src/json-text.ts`).
 */
import { isUtf8 } from "node:buffer";
import type { FastifyInstance } from "fastify";
import { findFault, isForeignCharset } from "@oriel/protocol/json-text";
import { ApiError } from "../../platform/errors.ts";

/** From here on a body is JSON of `Content-Type: application/json`, in UTF-8, or refused. */
export function readJsonStrictly(app: FastifyInstance): void {
  const parse = app.getDefaultJsonParser("error", "error");
  app.removeContentTypeParser("text/plain");
  app.addContentTypeParser("application/json", { parseAs: "buffer" }, (request, body: Buffer, done) => {
    if (isForeignCharset(request.headers["content-type"])) return done(foreignCharset());
    if (body.length === 0) return done(null, undefined); // no body, whatever the header announced
    if (!isUtf8(body)) return done(malformed("isn't valid UTF-8"));
    const text = body.toString("utf8");
    if (text.startsWith("\ufeff")) return done(malformed("begins with a byte-order mark"));
    void parse(request, text, (error, value) => {
      const fault = error === null ? findFault(text) : null;
      done(fault === null ? error : malformed(fault), value);
    });
  });
}

function malformed(fault: string): ApiError {
  return new ApiError("body_malformed", `The body isn't usable JSON: it ${fault}.`);
}

function foreignCharset(): ApiError {
  return new ApiError(
    "content_type_unsupported",
    "JSON is always UTF-8. Send the body with `Content-Type: application/json`, in that encoding.",
  );
}
