/**
 * Tests keys whose process died midway, and processes that wake up after another one took over. The work is finished
 * exactly once.
 */
import { describe, expect, it } from "vitest";
import { openForTests } from "../../../scripts/test/open-for-tests.ts";
import { beginCharge, type ChargeOrder } from "../src/payments/flow/begin-charge.ts";
import { runAttempt } from "../src/payments/flow/run-attempt.ts";
import {
  abandonKey,
  claimKey,
  keyToClaim,
  finishKey,
  findKey,
  recordAttempt,
  storeResponse,
} from "../src/platform/idempotency/idempotency.ts";
import { fingerprintOf } from "../src/platform/idempotency/request-fingerprint.ts";
import { sweep } from "../src/worker.ts";
import { addFaults, clearFaults, readLedger } from "./setup/bank-ledger.ts";
import { expectError, keyInUse } from "./setup/expect-error.ts";
import { startTestService, type ApiResponse } from "./setup/test-service.ts";
import { until } from "./setup/until.ts";

const service = await openForTests(startTestService());

const order = { amount: 4900, currency: "eur" };
const sessions = "/api/v1/checkout_sessions";

let keys = 0;
const newKey = () => `key-${++keys}`;

function post(path: string, body: unknown, key: string): Promise<ApiResponse> {
  return service.call("POST", path, body, { "idempotency-key": key });
}

async function chargeFor(payment_method_id: string): Promise<object> {
  const decision = await service.call("POST", "/api/v1/decisions", { ...order, payment_method_id });
  return { ...order, payment_method_id, decision_id: decision.body["id"] };
}

function expectReplay(response: ApiResponse, of: ApiResponse): void {
  expect(response.status).toBe(of.status);
  expect(response.text).toBe(of.text);
  expect(of.headers["idempotent-replayed"]).toBeUndefined();
  expect(response.headers["idempotent-replayed"]).toBe("true");
}

describe("a key whose process died before it responded", () => {
  /** Leaves a key as such a process would: claimed and without a response, with a lease that expires. */
  async function loseResponse(key: string): Promise<void> {
    await service.context.db
      .updateTable("idempotency_key")
      .set({
        response_status: null,
        sealed_response: null,
        answered_at: null,
        lease_until: new Date(service.context.now().getTime() - 1),
      })
      .where("key", "=", key)
      .execute();
  }

  /**
   * Simulates a process that stored the charge, linked it to its key, and died before it called the acquirer or before
   * it stored the response.
   */
  async function dieWithCharge(key: string, body: object, bankWasCalled: boolean): Promise<string> {
    const { context, tenant } = service;
    const claim = await claimKey(context, tenant, keyToClaim(key, fingerprintOf("POST", "/api/v1/charges", body)));
    if (claim === null) throw new Error("Bug: the key was taken");
    const charge = body as ChargeOrder; // `chargeFor` created it
    const attemptId = await context.db.transaction().execute(async (tx) => {
      const cause = { requestId: null, idempotencyKey: key };
      const whole = { ...charge, capture_method: null, metadata: {} };
      const { id } = (await beginCharge(context, tx, tenant, whole, cause)).attempt;
      await recordAttempt(tx, claim, id);
      return id;
    });
    if (bankWasCalled) {
      const card = { paymentMethodId: charge.payment_method_id, accountNo: tenant.accountNo };
      const usage = { kind: "once" } as const;
      await context.vault.test.authorize(card, {
        reference: attemptId,
        ...order,
        capture: true,
        isRepeated: false,
        usage,
        usesCvc: false,
      });
    }
    // Its claim has run out.
    const dead = { claimed_until: new Date(context.now().getTime() - 1) };
    await context.db.updateTable("attempt").set(dead).where("id", "=", attemptId).execute();
    await loseResponse(key);
    return attemptId;
  }

  it.each([
    ["pm_card_visa", "before it called the acquirer", false, 200],
    ["pm_card_visa", "after the acquirer captured the money", true, 200],
    ["pm_card_declined_generic", "before it called the acquirer", false, 402],
    ["pm_card_declined_generic", "after the acquirer declined", true, 402],
  ])("returns the response of its linked attempt: %s, %s", async (card, _when, bankWasCalled, status) => {
    const [key, body] = [newKey(), await chargeFor(card)];
    const reference = await dieWithCharge(key, body, bankWasCalled);
    const recovered = await post("/api/v1/charges", body, key);
    expect(recovered.status).toBe(status);
    const booked = (await service.bankAuthorizations()).filter(
      (authorization) => authorization.reference === reference,
    );
    expect(booked).toMatchObject([{ requests: 1, status: status === 200 ? "approved" : "declined" }]);
    expectReplay(await post("/api/v1/charges", body, key), recovered);
    expectError(await post("/api/v1/charges", { ...body, amount: 1 }, key), keyInUse);
    expect(
      (await service.bankAuthorizations()).filter((authorization) => authorization.reference === reference),
    ).toEqual(booked);
  });

  it("returns the response of its attempt, however often that response is lost", async () => {
    for (const card of ["pm_card_visa", "pm_card_declined_generic"]) {
      const [key, body] = [newKey(), await chargeFor(card)];
      const first = await post("/api/v1/charges", body, key);
      const ledger = await service.bankAuthorizations();
      for (let i = 0; i < 2; i++) {
        await loseResponse(key);
        const recovered = await post("/api/v1/charges", body, key);
        expect(recovered.status).toBe(first.status);
        expect(recovered.text).toBe(first.text);
      }
      expect(await service.bankAuthorizations()).toEqual(ledger);
    }
  });

  it("isn't deleted, however old it is, while its attempt has no outcome", async () => {
    const [key, body] = [newKey(), await chargeFor("pm_card_visa")];
    await dieWithCharge(key, body, false);
    const old = new Date(service.context.now().getTime() - 30 * 24 * 60 * 60_000);
    await service.context.db.updateTable("idempotency_key").set({ created_at: old }).where("key", "=", key).execute();
    await sweep(service.context);
    expectError(await post("/api/v1/charges", { ...body, amount: 1 }, key), keyInUse);
    expect((await post("/api/v1/charges", body, key)).status).toBe(200);
  });

  it("can be used again only for the same request if nothing was stored", async () => {
    const key = newKey();
    await post(sessions, order, key);
    await loseResponse(key);
    expectError(await post(sessions, { ...order, amount: 1 }, key), keyInUse);
    const responses = await Promise.all(Array.from({ length: 5 }, () => post(sessions, order, key)));
    expect(new Set(responses.map(({ text }) => text)).size).toBe(1);
  });
});

describe("a request that was presumed dead", () => {
  it("can neither store a response nor charge under its key when it wakes up", async () => {
    const { context, tenant } = service;
    const key = newKey();
    const fingerprint = fingerprintOf("POST", "/api/v1/charges", {});
    const first = await claimKey(context, tenant, keyToClaim(key, fingerprint));
    service.moveClock(61_000);
    const second = await claimKey(context, tenant, keyToClaim(key, fingerprint));
    if (first === null || second === null) throw new Error("Bug: nobody claimed the key");

    await storeResponse(context, first, { status: 400, body: "stale" });
    await abandonKey(context, first);
    const charging = context.db.transaction().execute((tx) => recordAttempt(tx, first, "att_stale"));
    await expect(charging).rejects.toMatchObject({ code: "idempotent_request_in_progress" });
    const finishing = context.db
      .transaction()
      .execute((tx) => finishKey(context, tx, first, { status: 200, body: "stale" }));
    await expect(finishing).rejects.toMatchObject({ code: "idempotent_request_in_progress" });
    expect(await claimKey(context, tenant, keyToClaim(key, fingerprint))).toBeNull(); // the second process still has it

    await storeResponse(context, second, { status: 200, body: "right" });
    expect(await findKey(context, tenant, key, fingerprint)).toEqual({
      state: "finished",
      response: { status: 200, body: "right" },
    });
  });
});

// The tests below move the clock.
describe("a key that waited longer than a day for its response", () => {
  const hours = 60 * 60_000;

  /** Expects one refund at most, and that its response is replayed for a day after it arrived. */
  async function expectReplayedForADay(
    body: { charge_id: unknown; amount: number },
    key: string,
    first: ApiResponse,
  ): Promise<void> {
    service.moveClock(23 * hours);
    await sweep(service.context);
    const again = await post("/api/v1/refunds", body, key);
    expect(again).toMatchObject({ status: 200, text: first.text, headers: { "idempotent-replayed": "true" } });
    expectError(await post("/api/v1/refunds", { ...body, amount: 1 }, key), keyInUse);
    const booked = (await readLedger(service)).refunds.filter(({ amount }) => amount === body.amount);
    expect(booked).toMatchObject([{ status: "approved", requests: 1 }]);
  }

  async function newCharge(): Promise<unknown> {
    const charge = await post("/api/v1/charges", await chargeFor("pm_card_visa"), newKey());
    expect(charge.body).toMatchObject({ status: "succeeded" });
    return charge.body["id"];
  }

  it("replays the acquirer's final response and refunds the money once", async () => {
    const [key, body] = [newKey(), { charge_id: await newCharge(), amount: 1001 }];
    await addFaults(
      service,
      { match: { kind: "refund" }, fault: "down" },
      { match: { kind: "lookup" }, fault: "down" },
    );
    expect(await post("/api/v1/refunds", body, key)).toMatchObject({ status: 503 });
    service.moveClock(25 * hours);
    await sweep(service.context);
    await clearFaults(service);
    await until("the acquirer's response", async () => {
      const attempts = service.context.db
        .selectFrom("attempt")
        .select(["id", "status"])
        .where("idempotency_key", "=", key);
      const { id, status } = await attempts.executeTakeFirstOrThrow();
      if (status === "processing") await runAttempt(service.context, id, { wanted: true });
      return status === "processing" ? null : status;
    });
    const first = await post("/api/v1/refunds", body, key);
    expect(first).toMatchObject({ status: 200, headers: { "idempotent-replayed": "true" } });
    expect(first.body).toMatchObject({ status: "succeeded", amount: 1001 });
    await expectReplayedForADay(body, key, first);
  });

  it("lets a second request run once if the first one abandoned the key", async () => {
    const { context, tenant } = service;
    const [key, body] = [newKey(), { charge_id: await newCharge(), amount: 1002 }];
    const claim = await claimKey(context, tenant, keyToClaim(key, fingerprintOf("POST", "/api/v1/refunds", body)));
    if (claim === null) throw new Error("Bug: the key was taken");
    await abandonKey(context, claim);
    service.moveClock(25 * hours);
    const first = await post("/api/v1/refunds", body, key);
    expect(first.body).toMatchObject({ status: "succeeded", amount: 1002 });
    expectReplay(await post("/api/v1/refunds", body, key), first);
    await expectReplayedForADay(body, key, first);
  });
});
