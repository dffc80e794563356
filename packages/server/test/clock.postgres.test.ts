/** Tests processes whose machine has the wrong time while PostgreSQL's clock is correct, and clocks that differ a little. */
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { closersFor } from "../../../scripts/test/closers-for.ts";
import { temporaryDirectory } from "../../../scripts/test/temporary-directory.ts";
import { machineClocks, startClock } from "../src/platform/clock.ts";
import { deleteOldKeys } from "../src/platform/idempotency/idempotency.ts";
import { ledgerOf } from "./setup/bank-ledger.ts";
import { newMerchant } from "./setup/merchant.ts";
import { startOrielServer } from "./setup/oriel-process.ts";
import { recordStatements } from "./setup/recorded-statements.ts";
import { freshDatabase, startTestService, type TestService } from "./setup/test-service.ts";
import { startWebhookReceiver } from "./setup/webhook-receiver.ts";

const hour = 3_600_000;

const closers = closersFor(afterEach);

describe("a process whose clock moves 25 hours ahead while it runs", () => {
  let wrongBy = 0;
  let service: TestService;
  beforeEach(async () => {
    wrongBy = 0;
    const machine = { ...machineClocks, wallMs: () => Date.now() + wrongBy };
    service = await startTestService({ role: "api", openClock: (database, log) => startClock(database, log, machine) });
    closers.push(() => service.close());
  });

  it("keeps the response stored for a refund's idempotency key and refunds once", async () => {
    const merchant = await newMerchant(service);
    const { body: charge } = await merchant.charge("pm_card_visa");
    const first = await merchant.refund(String(charge["id"]), 100, "refund");
    expect(first.status).toBe(200);

    wrongBy = 25 * hour;
    await deleteOldKeys(service.context, 100);
    const second = await merchant.refund(String(charge["id"]), 100, "refund");

    expect(second.text).toBe(first.text);
    expect(second.headers).toMatchObject({ "idempotent-replayed": "true" });
    expect((await ledgerOf(service, String(charge["decision_id"]))).refunds).toHaveLength(1);
  });

  it("asks the database for the time only once, however many requests are running", async () => {
    const merchant = await newMerchant(service);
    const statements = await recordStatements(async () => {
      wrongBy = 25 * hour;
      for (let i = 0; i < 3; i++) expect((await merchant.charge("pm_card_visa")).status).toBe(200);
    });
    expect(statements.length).toBeGreaterThan(10);
    expect(statements.filter(({ text }) => text === "select clock_timestamp() as time")).toHaveLength(1);
  });
});

describe("a worker whose clock is behind", () => {
  it("sends a webhook when it's announced, although it isn't due by the worker's clock", async () => {
    const keyDir = temporaryDirectory(onTestFinished);
    const shared = { database: await freshDatabase(closers), keyDir };
    const startedAt = Date.now();
    // Both clocks are stopped, so that the webhook never becomes due.
    const stopAt = (ms: number) => ({ openClock: async () => ({ now: () => new Date(ms), stop() {} }) });
    const api = await startTestService({ ...shared, role: "api", ...stopAt(startedAt) });
    closers.push(() => api.close());
    const worker = await startTestService({ ...shared, bankUrl: api.bankUrl, ...stopAt(startedAt - 200) });
    closers.push(() => worker.close());
    const receiver = await startWebhookReceiver();
    closers.push(() => receiver.close());

    const merchant = await newMerchant(api);
    await merchant.call("POST", "/api/v1/webhook_endpoints", { url: `${receiver.url}/hooks` });
    await merchant.charge("pm_card_visa");
    const [webhook] = await receiver.at("/hooks", 1);
    expect(JSON.parse(webhook?.body ?? "")).toMatchObject({ type: "payment.succeeded" });
  });
});

describe("a machine whose clock is 25 hours ahead", () => {
  let env: NodeJS.ProcessEnv;
  beforeEach(async () => {
    const dataDir = temporaryDirectory(onTestFinished);
    const database = await freshDatabase(closers);
    if (database.kind !== "postgres") throw new Error("Bug: these tests are for PostgreSQL");
    const shift = `const { now } = Date; Date = class extends Date {
      constructor(...given) { super(...(given.length === 0 ? [Date.now()] : given)); }
      static now() { return now() + ${25 * hour}; }
    };`;
    env = {
      NODE_OPTIONS: `--import=data:text/javascript;base64,${Buffer.from(shift).toString("base64")}`,
      DATABASE_URL: database.url,
      ORIEL_DATA_DIR: dataDir,
      BANK_API_KEY: "k".repeat(16),
      BANK_RESULTS_KEY: "r".repeat(16),
    };
  });

  it("stops the service from starting, with an error that says what to do", async () => {
    const worker = startOrielServer(["serve", "--role", "worker"], env, closers);
    expect(await worker.end()).toBe(2);
    const lines = worker.said().split("\n");
    expect(lines.filter((line) => !line.startsWith("{"))).toEqual([
      "oriel-server: This machine's clock is 25 hours ahead of the database's. Synchronize both clocks with NTP, then try again.",
      "",
    ]);
  });

  it("stops commands from running", async () => {
    const command = startOrielServer(["account", "create", "Kiln Street"], env, closers);
    expect(await command.end()).toBe(2);
    expect(command.said()).toMatch(/^oriel-server: This machine's clock is 25 hours ahead of the database's\./);
  });

  it("is reported by oriel-server doctor", async () => {
    const doctor = startOrielServer(["doctor"], env, closers);
    expect(await doctor.end()).toBe(1);
    expect(doctor.said()).toMatch(
      /^FAILED +clock +this machine's clock is 25 hours ahead of the database's, so the service won't start -> synchronize both clocks with NTP$/m,
    );
  });
});
