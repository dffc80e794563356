/**
 * Routes that configure the bank's faults, with the acquirer's key. No real bank has them. Oriel never calls them, but
 * tests do, and so can you.
 *
 * ```
 * POST   /sandbox/faults   { "rules": [{ "match": { "kind"?, "reference"?, "last4"?, "probability"? }, "fault", "times"?, "ms"? }] }
 *                          appends rules   -> the list
 * GET    /sandbox/faults   -> { "rules": [...] }, each with `struck`, the number of strikes
 * DELETE /sandbox/faults   deletes all rules                        -> the empty list
 * ```
 * `kind` is `authorization`, `capture`, `cancel`, `refund`, `lookup` (GET of a reference) or `result` (RReq). The
 * faults are in the table in `faults.ts`. For example, with these rules one charge in ten gets no response after the
 * money has moved, and the next three lookups fail:
 *
 * ```
 * { "rules": [{ "match": { "kind": "authorization", "probability": 0.1 }, "fault": "timeout_after" },
 *             { "match": { "kind": "lookup" }, "fault": "error_before", "times": 3 }] }
 * ```
 */
import type { FastifyInstance } from "fastify";
import { referenceSchema } from "../acquirer/request-schemas.ts";
import { requireBearer } from "../bearer.ts";
import { requestKinds, faultNames, type Faults, type Rule } from "./faults.ts";

export function faultRoutes(app: FastifyInstance, { apiKey, faults }: { apiKey: string; faults: Faults }): void {
  app.addHook("onRequest", requireBearer(apiKey));

  app.post<{ Body: { rules: Rule[] } }>("/faults", { schema: { body: rulesSchema } }, async (request, reply) => {
    const why = faults.add(request.body.rules);
    return why === null ? { rules: faults.list() } : reply.code(400).send({ error: { message: why } });
  });

  app.get("/faults", async () => ({ rules: faults.list() }));

  app.delete("/faults", async () => {
    faults.clear();
    return { rules: faults.list() };
  });
}

const ruleSchema = {
  type: "object",
  additionalProperties: false,
  required: ["match", "fault"],
  properties: {
    match: {
      type: "object",
      additionalProperties: false,
      properties: {
        kind: { type: "string", enum: requestKinds },
        reference: referenceSchema,
        last4: { type: "string", pattern: "^[0-9]{4}$" },
        probability: { type: "number", exclusiveMinimum: 0, maximum: 1 },
      },
    },
    fault: { type: "string", enum: faultNames },
    times: { type: "integer", minimum: 1, maximum: 1_000_000 },
    // The HTTP listener ends an exchange after 300 seconds.
    ms: { type: "integer", minimum: 0, maximum: 290_000 },
  },
};

const rulesSchema = {
  type: "object",
  additionalProperties: false,
  required: ["rules"],
  properties: { rules: { type: "array", minItems: 1, maxItems: 100, items: ruleSchema } },
};
