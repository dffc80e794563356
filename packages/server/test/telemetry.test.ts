/** Tests the metrics that depend on unfinished work in the database, and on 3-D Secure results that never come. */
import { afterAll, afterEach, describe, expect, it } from "vitest";
import { createBank } from "@oriel/sandbox";
import { closersFor } from "../../../scripts/test/closers-for.ts";
import { openForTests } from "../../../scripts/test/open-for-tests.ts";
import { createDatabaseGauges } from "../src/telemetry/database-gauges.ts";
import { sweep } from "../src/worker.ts";
import { openBankProxy } from "./setup/bank-proxy.ts";
import { openCheckout, payUpToChallenge } from "./setup/customer.ts";
import { newMerchant } from "./setup/merchant.ts";
import { bankKeys, startTestService } from "./setup/test-service.ts";
import { createEvent, newWebhookEndpoint } from "./setup/webhook-endpoint.ts";
import { startWebhookReceiver } from "./setup/webhook-receiver.ts";

const closers = closersFor(afterAll);
const bank = await openForTests(createBank({ origin: "http://bank.localhost:4100", ...bankKeys }));
const line = await openForTests(openBankProxy(await bank.listen({ port: 0, host: "127.0.0.1" })));
// No worker: nothing that is due is done.
const service = await openForTests(startTestService({ role: "api", bankUrl: line.url }));
afterEach(() => {
  line.watch = () => "pass";
});

/** The samples of a metric, by their labels. Reads the database again. */
async function samples(name: string): Promise<Record<string, number>> {
  const { metrics } = service.context.telemetry;
  await createDatabaseGauges(metrics.database, service.context)();
  const text = await metrics.registry.getSingleMetricAsString(name);
  const found = [...text.matchAll(/^\w+(?:\{(.*)\})? (\S+)$/gm)];
  return Object.fromEntries(found.map(([, labels = "", value]) => [labels, Number(value)]));
}

describe("an authorization without a response", () => {
  it("is an attempt with an unknown outcome, which gets older and is due again", async () => {
    expect(await samples("oriel_attempts_unknown")).toEqual({ 'mode="test"': 0, 'mode="live"': 0 });
    line.watch = (request) => (request.startsWith("POST /acquirer/authorizations") ? "lose" : "pass");
    const charged = await (await newMerchant(service)).charge("pm_card_visa");
    expect(charged.status).toBe(503);

    service.moveClock(30_000);
    expect(await samples("oriel_attempts_unknown")).toEqual({ 'mode="test"': 1, 'mode="live"': 0 });
    expect(await samples("oriel_attempts_due")).toEqual({ 'mode="test"': 1, 'mode="live"': 0 });
    const age = (await samples("oriel_attempts_unknown_oldest_age_seconds"))['mode="test"'];
    expect(age).toBeGreaterThanOrEqual(30);
    const dueFor = (await samples("oriel_attempts_due_oldest_age_seconds"))['mode="test"'];
    expect(dueFor).toBeGreaterThan(20);
    expect(dueFor).toBeLessThan(age ?? 0);
  });
});

describe("deliveries that no worker sends", () => {
  it("are due, and counted separately for an endpoint that has been failing", async () => {
    const receiver = await startWebhookReceiver();
    closers.push(() => receiver.close());
    const merchant = await newMerchant(service);
    await newWebhookEndpoint(merchant, receiver);
    await createEvent(merchant);
    service.moveClock(60_000);
    const working = await samples("oriel_deliveries_due");
    expect(working['endpoint="working"']).toBeGreaterThan(0);
    expect(working['endpoint="failing"']).toBe(0);
    const age = await samples("oriel_deliveries_due_oldest_age_seconds");
    expect(age['endpoint="working"']).toBeGreaterThanOrEqual(60);

    const failing = service.context.db.updateTable("webhook_endpoint").set({ failing_since: new Date() });
    await failing.where("account_no", "=", merchant.tenant.accountNo).execute();
    expect(await samples("oriel_deliveries_due")).toEqual({
      'endpoint="working"': 0,
      'endpoint="failing"': working['endpoint="working"'],
    });
  });
});

describe("a 3-D Secure result that never comes", () => {
  const missing = "An authentication ended without its 3-D Secure result, because the bank didn't send one";
  const state = 'mode="test",state="challenge"';

  it("is counted and logged with its age when the payment ends", async () => {
    const checkout = await openCheckout(service);
    await payUpToChallenge(checkout);
    await sweep(service.context);
    expect((await samples("oriel_three_d_secure_results_missing_total"))[state]).toBe(0);

    line.watch = (request) => (request.startsWith("GET /directory-server/results/") ? "lose" : "pass");
    service.moveClock(11 * 60_000);
    await sweep(service.context);
    await sweep(service.context);
    expect((await samples("oriel_three_d_secure_results_missing_total"))[state]).toBe(1);
    const logged = service.log.map((text) => JSON.parse(text) as object).filter((entry) => hasMessage(entry, missing));
    expect(logged).toEqual([expect.objectContaining({ level: 40, mode: "test", state: "challenge" })]);
    expect(logged[0]).toHaveProperty("age_s", expect.closeTo(660, -2));
  });
});

function hasMessage(entry: object, message: string): boolean {
  return "msg" in entry && entry.msg === message;
}
