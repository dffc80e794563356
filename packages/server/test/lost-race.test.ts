/**
 * Tests requests that find an idempotency key free and then lose the race for it: each gets the winner's response,
 * once.
 */
import { setTimeout as pause } from "node:timers/promises";
import Fastify, { type FastifyBaseLogger } from "fastify";
import pino from "pino";
import { afterAll, afterEach, describe, expect, it, vi } from "vitest";
import { openForTests } from "../../../scripts/test/open-for-tests.ts";
import { idempotentHooks, inOneTransaction } from "../src/http/routes/idempotent-post.ts";
import { startTestService } from "./setup/test-service.ts";

const racers = 10;

const log: string[] = [];
/** Each racer finds the key free, then waits here before it claims the key. */
let start = Promise.withResolvers<void>();
let waiting = 0;
let runCount = 0;

const service = await openForTests(startTestService({ role: "api" }));
const { context, tenant } = service;
const hooks = idempotentHooks(context, { tenantOf: () => tenant, storedAs: (key) => key });
const logger: FastifyBaseLogger = pino({}, { write: (line: string) => void log.push(line) });
const app = Fastify({ loggerInstance: logger });
app.decorateRequest("keyClaim", null);
const lineUp = async () => {
  waiting += 1;
  if (waiting === racers) start.resolve();
  await start.promise;
};
app.post("/order", { ...hooks, preHandler: [lineUp, hooks.preHandler] }, async (request, reply) =>
  inOneTransaction(context, request, reply, async () => {
    await pause(50); // so that the others arrive while it runs
    runCount += 1;
    return { object: "order", number: runCount };
  }),
);
afterEach(() => {
  vi.restoreAllMocks();
  start = Promise.withResolvers<void>();
  waiting = runCount = 0;
  log.length = 0;
});
afterAll(() => app.close());

/** Sends all requests at once with the same key. */
async function race(key: string, payload: object) {
  const request = { method: "POST", url: "/order", payload, headers: { "idempotency-key": key } } as const;
  return await Promise.all(Array.from({ length: racers }, () => app.inject(request)));
}

describe("a request that loses the race for its key", () => {
  it("tries to claim the key once, waits, and responds once with the winner's response", async () => {
    const sign = vi.spyOn(service.context.keys, "sign");
    const responses = await race("race", { cup: 1 });

    expect(responses.map(({ statusCode, body }) => `${statusCode} ${body}`)).toEqual(
      Array<string>(racers).fill('200 {"object":"order","number":1}'),
    );
    expect(responses.filter(({ headers }) => headers["idempotent-replayed"] === "true")).toHaveLength(racers - 1);
    // Each attempt to claim the key hashes the request's one field.
    const claims = sign.mock.calls.filter(([text]) => text.startsWith("idempotency field cup "));
    expect.soft(claims).toHaveLength(racers);
    expect.soft(log.filter((line) => line.includes("already sent"))).toHaveLength(0);
  });
});
