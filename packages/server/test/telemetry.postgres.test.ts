/**
 * Tests what operators see of real processes: an API process and a worker, one payment, and a webhook that fails.
 * Probes and metrics are read from their metrics ports, and spans arrive at a collector of the test's own.
 */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { closersFor } from "../../../scripts/test/closers-for.ts";
import { freePort } from "../../../scripts/test/free-port.ts";
import { prepareCrashingService, type CrashingService } from "./setup/crashing-service.ts";
import { cardNumbers, openCheckout, securityCode } from "./setup/customer.ts";
import { openDatabaseProxy, type DatabaseProxy } from "./setup/database-proxy.ts";
import { findCardData } from "./setup/find-card-data.ts";
import { startServiceProcess, type OrielProcess } from "./setup/oriel-process.ts";
import { startTraceReceiver, type TraceReceiver } from "./setup/trace-receiver.ts";
import { until } from "./setup/until.ts";
import { startWebhookReceiver, type WebhookReceiver } from "./setup/webhook-receiver.ts";

const number = cardNumbers.approved;
const traceId = "4bf92f3577b34da6a3ce929d0e0e4736";
const version = "[0-9]+\\.[0-9]+\\.[0-9]+";

const closers = closersFor(afterAll);
let service: CrashingService;
let worker: OrielProcess;
let line: DatabaseProxy;
let receiver: WebhookReceiver;
let traces: TraceReceiver;
let apiPort: number;
let workerPort: number;
let sessionId: string;

beforeAll(async () => {
  receiver = await startWebhookReceiver();
  closers.push(() => receiver.close());
  receiver.react = (_webhook, response) => void response.writeHead(500).end();
  traces = await startTraceReceiver();
  closers.push(() => traces.close());
  apiPort = await freePort();
  workerPort = await freePort();
  service = await prepareCrashingService({
    ORIEL_METRICS_PORT: String(apiPort),
    ORIEL_WEBHOOKS_TO_LOOPBACK: "1",
    OTEL_EXPORTER_OTLP_ENDPOINT: traces.url,
    OTEL_BSP_SCHEDULE_DELAY: "100",
  });
  closers.push(() => service.close());
  await service.start("api");
  line = await openDatabaseProxy(service.env["DATABASE_URL"] ?? "");
  closers.push(() => line.close());
  const env = { ...service.env, DATABASE_URL: line.url, ORIEL_METRICS_PORT: String(workerPort) };
  worker = startServiceProcess("worker", env, closers);
  await worker.says(/"Working"/);

  await service.call("POST", "/api/v1/webhook_endpoints", { url: `${receiver.url}/hooks` });
  const frame: CrashingService["frame"] = async (method, path, body, token) => {
    const response = await fetch(`${service.env["ORIEL_CHECKOUT_ORIGIN"]}${path}`, {
      method,
      headers: {
        ...(body === undefined ? {} : { "content-type": "application/json" }),
        ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
        traceparent: `00-${traceId}-00f067aa0ba902b7-01`,
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    return { status: response.status, body: JSON.parse(text), text, headers: Object.fromEntries(response.headers) };
  };
  const checkout = await openCheckout({ call: service.call, frame });
  ({ sessionId } = checkout);
  const paid = await checkout.pay(number);
  if (paid.status !== 200) throw new Error(`The payment failed: ${paid.text}`);
  await receiver.at("/hooks", 1);
}, 120_000);

async function read(port: number, path: string): Promise<{ status: number; text: string }> {
  const response = await fetch(`http://127.0.0.1:${port}${path}`);
  return { status: response.status, text: await response.text() };
}

/** The value of a sample, by its name and labels as written in the text format. */
async function value(port: number, sample: string): Promise<number | null> {
  const { text } = await read(port, "/metrics");
  const found = text.split("\n").find((each) => each.startsWith(`${sample} `));
  return found === undefined ? null : Number(found.slice(sample.length + 1));
}

/** The value of a counter, once it isn't 0. */
function counted(port: number, sample: string): Promise<number> {
  return until(sample, async () => (await value(port, sample)) || null);
}

describe("the first log line", () => {
  it("says which version runs where, without the password of the database", () => {
    const [first = ""] = service.said().split("\n");
    const { pathname, hostname } = new URL(service.env["DATABASE_URL"] ?? "");
    expect(JSON.parse(first)).toMatchObject({
      msg: "Starting Oriel",
      version: expect.stringMatching(new RegExp(`^${version}$`)),
      role: "api",
      mode: "test",
      checkout: service.env["ORIEL_CHECKOUT_ORIGIN"],
      dashboard: expect.stringContaining("http://dashboard.localhost:"),
      api: service.env["ORIEL_API_URL"],
      database: `${hostname}${pathname}`,
    });
    expect(first).not.toMatch(/postgres(ql)?:|password/);
  });
});

describe("the metrics of an API process", () => {
  it("count the payment by the pattern of its route", async () => {
    const labels = 'route="/frame/payments",method="POST",status="200"';
    expect(await counted(apiPort, `oriel_http_requests_total{${labels}}`)).toBe(1);
    const approved = 'mode="test",outcome="approved"';
    expect(await counted(apiPort, `oriel_charge_duration_seconds_count{${approved}}`)).toBe(1);
    const authorization = 'mode="test",operation="authorize",outcome="response"';
    expect(await counted(apiPort, `oriel_acquirer_request_duration_seconds_count{${authorization}}`)).toBe(1);
  });

  it("have the state of the database, the pools, the event loop and the build", async () => {
    expect(await value(apiPort, "oriel_database_up")).toBe(1);
    expect(await value(apiPort, 'oriel_attempts_unknown{mode="test"}')).toBe(0);
    expect(await value(apiPort, 'oriel_pool_connections{pool="service",state="total"}')).toBeGreaterThanOrEqual(0);
    expect(await value(apiPort, "nodejs_eventloop_lag_p99_seconds")).toBeGreaterThan(0);
    const { text } = await read(apiPort, "/metrics");
    expect(text).toMatch(new RegExp(`^oriel_build_info\\{version="${version}",role="api"\\} 1$`, "m"));
  });

  it("contain no ID, URL or card data", async () => {
    const { text } = await read(apiPort, "/metrics");
    expect(text).toContain('route="/frame/sessions/:session_id/open"');
    expect(text).not.toContain(sessionId);
    expect(text).not.toMatch(/\b(acct|cs|ch|dec|att|pm|evt|we|del)_\w{20,}/);
    expect(findCardData(text, { number, code: securityCode })).toEqual([]);
  });
});

describe("the metrics of a worker", () => {
  it("count a failed delivery by class, and how late it was sent", async () => {
    const failed = 'oriel_delivery_duration_seconds_count{result="response_5xx"}';
    expect(await counted(workerPort, failed)).toBeGreaterThan(0);
    expect(await counted(workerPort, 'oriel_delivery_lag_seconds_count{endpoint="working"}')).toBeGreaterThan(0);
    expect(await value(workerPort, 'oriel_delivery_duration_seconds_count{result="succeeded"}')).toBeNull();
  });
});

describe("the metrics port", () => {
  it.each(["/livez", "/readyz"])("has %s in an API process and in a worker", async (path) => {
    for (const port of [apiPort, workerPort])
      expect(await read(port, path)).toEqual({ status: 200, text: '{"status":"ok"}' });
  });

  it("has nothing else", async () => {
    for (const path of ["/", "/api/v1/charges", "/healthz"]) expect((await read(apiPort, path)).status).toBe(404);
    const posted = await fetch(`http://127.0.0.1:${apiPort}/metrics`, { method: "POST", body: "x" });
    expect(posted.status).toBe(405);
  });
});

describe("traces", () => {
  it("contain the payment, its requests to the acquirer and the delivery, in the caller's trace", async () => {
    await until("the spans", () => (traces.bytes().includes("webhook delivery") ? true : null));
    for (const name of ["POST /frame/payments", "acquirer authorize"])
      await until(`the span ${name}`, () => (traces.has(name, traceId) ? true : null));
    // Control: the worker delivers in a trace of its own, so the receiver tells traces apart.
    expect(traces.has("webhook delivery", traceId)).toBe(false);
  });

  it("contain no card data and no URL", () => {
    const text = traces.bytes().toString("latin1");
    expect(text).toContain("/frame/payments");
    expect(findCardData(text, { number, code: securityCode })).toEqual([]);
    expect(text).not.toContain(sessionId);
    expect(text).not.toMatch(/https?:\/\//);
  });
});

describe("a worker whose database doesn't respond", () => {
  it("is alive but not ready, and still serves its other metrics", async () => {
    line.hold();
    await until("the probe to fail", async () => ((await read(workerPort, "/readyz")).status === 503 ? true : null));
    expect((await read(workerPort, "/livez")).status).toBe(200);
    await until("the gauge", async () => ((await value(workerPort, "oriel_database_up")) === 0 ? true : null));
    const { text } = await read(workerPort, "/metrics");
    expect(text).toContain('oriel_delivery_duration_seconds_count{result="response_5xx"}');
    expect(text).not.toMatch(/^oriel_attempts_due\{/m);

    line.release();
    await until("the gauge", async () => ((await value(workerPort, "oriel_database_up")) === 1 ? true : null));
    expect(await value(workerPort, 'oriel_attempts_due{mode="test"}')).toBe(0);
  });
});
