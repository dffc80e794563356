/**
 * Reads JSON bodies, more strictly than `JSON.parse` alone would: what two readers could understand differently is refused instead of
 * mended. That is a name that stands twice in one object (the last would win here and the first elsewhere), NUL and half a surrogate pair
 * (PostgreSQL's text holds neither) and the names that reach for a prototype. Nesting is bounded, because what walks a body recurses.
 */
import type { FastifyInstance } from "fastify";
import { ApiError } from "../errors.ts";

/** Deeper than anything the API knows. */
const maxDepth = 16;

/** From here on a body is JSON of `Content-Type: application/json` or refused. */
export function readJsonStrictly(app: FastifyInstance): void {
  const parse = app.getDefaultJsonParser("error", "error");
  app.removeContentTypeParser("text/plain");
  app.addContentTypeParser("application/json", { parseAs: "string" }, (request, body: string, done) => {
    if (body === "") return done(null, undefined); // no body, whatever the header announced
    void parse(request, body, (error, value) => {
      const fault = error === null ? findFault(body) : null;
      done(fault === null ? error : new ApiError("body_malformed", `The body is not JSON that can be used: it ${fault}.`), value);
    });
  });
}

/** Strings, with the colon of those that are names, and brackets; everything else between them says nothing here. */
const tokens = /"[^"\\]*(?:\\.[^"\\]*)*"\s*:?|[[\]{}]/g;

/** @param json what `JSON.parse` has accepted, so that every bracket has its partner */
export function findFault(json: string): string | null {
  const open: Set<string>[] = [];
  for (const [token] of json.matchAll(tokens)) {
    if (token === "{" || token === "[") {
      if (open.push(new Set()) > maxDepth) return "is nested too deeply";
    } else if (token === "}" || token === "]") {
      open.pop();
    } else {
      const isName = token.endsWith(":");
      const text = JSON.parse(isName ? token.slice(0, -1) : token) as string; // the token is a JSON string
      if (text.includes("\0") || !text.isWellFormed()) return "holds a character that is none";
      if (isName && open.at(-1)?.has(text)) return "holds the same name twice";
      if (isName) open.at(-1)?.add(text);
    }
  }
  return null;
}
