import { Readable } from "node:stream";
import Fastify, { type FastifyInstance } from "fastify";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { measureRequests } from "./measure-requests.ts";
import { createMetrics, type Metrics } from "./metrics.ts";
import type { Telemetry } from "./telemetry.ts";
import { noTracing, type RequestSpan } from "./tracing.ts";

let metrics: Metrics;
let app: FastifyInstance;
let endedSpans: string[];
beforeEach(() => {
  endedSpans = [];
  const span: RequestSpan = { set() {}, fail() {}, run: (work) => work(), end: (name) => void endedSpans.push(name) };
  metrics = createMetrics({ role: "api" });
  app = Fastify();
  const tracing = { ...noTracing, startRequest: () => span };
  measureRequests(app, { metrics, tracing } as unknown as Telemetry); // it uses nothing else
});
afterEach(() => app.close());

/** The counted requests, as `method route status`, and how many there were if there's more than one. */
async function counted(): Promise<string[]> {
  const { values } = await metrics.httpRequests.get();
  return values.map(
    ({ labels: { method, route, status }, value }) =>
      `${method} ${route} ${status}${value === 1 ? "" : ` (${value} times)`}`,
  );
}

describe("measuring requests", () => {
  it("doesn't count probes, which would hide errors among few requests", async () => {
    for (const path of ["/livez", "/readyz", "/pay"]) app.get(path, async () => ({}));
    for (const path of ["/livez", "/readyz", "/pay", "/unknown"]) await app.inject(path);
    expect(await counted()).toEqual(["GET /pay 200", "any none 404"]);
    expect((await metrics.httpDuration.get()).values.some(({ labels }) => labels["route"] === "/livez")).toBe(false);
  });

  it("counts a response that breaks off as a server error", async () => {
    async function* failing() {
      yield "first\n";
      throw new Error("The database is gone");
    }
    app.get("/file", async (_request, reply) => reply.send(Readable.from(failing())));
    await expect(app.inject("/file")).rejects.toThrow("response destroyed before completion");
    expect(await counted()).toEqual(["GET /file 500"]);
    expect(endedSpans).toEqual(["GET /file"]);
  });

  it("counts a response once if its stream fails before the headers were sent", async () => {
    const failing = () => new Readable({ read: () => {} }).destroy(new Error("The database is gone"));
    app.get("/file", async (_request, reply) => reply.send(failing()));
    expect((await app.inject("/file")).statusCode).toBe(500);
    expect(await counted()).toEqual(["GET /file 500"]);
    expect(endedSpans).toEqual(["GET /file"]);
  });
});
