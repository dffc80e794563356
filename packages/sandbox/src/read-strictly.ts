/**
 * Refuses ambiguous requests before a route sees them: a duplicate Host, or JSON that two parsers could read
 * differently.
 */
import { isUtf8 } from "node:buffer";
import type { FastifyInstance } from "fastify";
import { findFault, isForeignCharset } from "@oriel/protocol/json-text";
import { faultOfHead } from "@oriel/protocol/request-head";

/** Its message quotes nothing from the request, so it's safe to send. */
export class UnreadableRequest extends Error {
  override readonly name = "UnreadableRequest";
  readonly statusCode = 400;
  readonly part: "head" | "body";

  constructor(part: "head" | "body", message: string) {
    super(message);
    this.part = part;
  }
}

export function readStrictly(app: FastifyInstance): void {
  app.addHook("onRequest", async ({ raw }, reply) => {
    const fault = faultOfHead(raw.url ?? "", raw.rawHeaders);
    if (fault === null) return;
    void reply.header("connection", "close");
    throw new UnreadableRequest("head", fault);
  });

  const parse = app.getDefaultJsonParser("error", "error");
  app.removeContentTypeParser("text/plain");
  app.addContentTypeParser("application/json", { parseAs: "buffer" }, (request, body: Buffer, done) => {
    const text = body.toString("utf8");
    if (isForeignCharset(request.headers["content-type"]) || !isUtf8(body) || text.startsWith("\ufeff"))
      return done(new UnreadableRequest("body", "The body isn't JSON in UTF-8."));
    void parse(request, text, (error, value) => {
      const fault = error === null ? findFault(text) : null;
      done(fault === null ? error : new UnreadableRequest("body", `The body isn't usable JSON: it ${fault}.`), value);
    });
  });
}
