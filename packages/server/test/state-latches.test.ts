/**
 * Tests conditions of the state machines that other conditions normally hide. Each is tested alone, on a row that meets
 * the others. If one were missing, two concurrent requests could both proceed.
 */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { cancel, capture, endHold, free, occupy, reserveRefund } from "../src/payments/charges/charge-state.ts";
import { consume, expireDecisions } from "../src/payments/decisions/decision-state.ts";
import { insertRefund, settle } from "../src/payments/refunds/refund-state.ts";
import {
  claimForPayment,
  complete,
  expireDue,
  release,
  releaseAfterFailure,
} from "../src/payments/sessions/session-state.ts";
import type { Tx } from "../src/platform/storage/database.ts";
import type { Tenant } from "../src/platform/tenant.ts";
import { cardNumbers, openCheckout } from "./setup/customer.ts";
import { newMerchant, order, type Merchant } from "./setup/merchant.ts";
import { startTestService, type TestService } from "./setup/test-service.ts";

let service: TestService;
let merchant: Merchant;
beforeAll(async () => {
  service = await startTestService({ role: "api" });
  merchant = await newMerchant(service);
});
afterAll(() => service.close());

function inTransaction<T>(work: (tx: Tx) => Promise<T>): Promise<T> {
  return service.context.db.transaction().execute(work);
}

function rowOf(table: "charge" | "decision" | "checkout_session", id: string) {
  return service.context.db.selectFrom(table).selectAll().where("id", "=", id).executeTakeFirstOrThrow();
}

describe("another account or the other mode", () => {
  it("can neither capture nor refund a charge, nor charge with a decision", async () => {
    const held = String((await merchant.charge("pm_card_visa", { capture_method: "manual" })).body["id"]);
    const taken = String((await merchant.charge("pm_card_visa")).body["id"]);
    const decision_id = String((await merchant.decide("pm_card_visa"))["id"]);
    const terms = { ...order, decision_id, payment_method_id: "pm_card_visa" };
    const tries = (tenant: Tenant) =>
      inTransaction(async (tx) => [
        await occupy(tx, tenant, held, "att_1", undefined),
        await reserveRefund(tx, tenant, taken, 1),
        await consume(tx, tenant, terms, "ch_1", service.context.now()),
      ]);
    const { tenant: other } = await service.addTenant(false);
    for (const tenant of [other, { ...merchant.tenant, livemode: true }])
      expect(await tries(tenant)).toEqual([undefined, undefined, undefined]);
    expect(await tries(merchant.tenant)).toMatchObject([{ id: held }, { charge: { id: taken } }, { id: decision_id }]);
  });
});

describe("a busy charge", () => {
  it("is released once, only by the attempt that made it busy", async () => {
    const { body } = await merchant.charge("pm_card_visa", { capture_method: "manual" });
    const id = String(body["id"]);
    expect(await inTransaction((tx) => occupy(tx, merchant.tenant, id, "att_1", undefined))).toMatchObject({ id });
    const busy = await rowOf("charge", id);
    await expect(inTransaction((tx) => capture(tx, id, "att_2", 4900))).rejects.toThrow("no result");
    await expect(inTransaction((tx) => cancel(tx, id, "att_2"))).rejects.toThrow("no result");
    await expect(inTransaction((tx) => free(tx, id, "att_2"))).rejects.toThrow("no result");
    expect(await rowOf("charge", id)).toEqual(busy);

    await inTransaction((tx) => capture(tx, id, "att_1", 4900));
    const captured = await rowOf("charge", id);
    expect(captured).toMatchObject({ status: "succeeded", amount_captured: 4900 });
    await expect(inTransaction((tx) => cancel(tx, id, "att_1"))).rejects.toThrow("no result");
    expect(await rowOf("charge", id)).toEqual(captured);
  });
});

describe("a charge's hold", () => {
  it("ends once when the acquirer has released it, but not during another operation", async () => {
    const { body } = await merchant.charge("pm_card_visa", { capture_method: "manual" });
    const id = String(body["id"]);
    await inTransaction((tx) => occupy(tx, merchant.tenant, id, "att_1", undefined));
    await expect(inTransaction((tx) => endHold(tx, id))).rejects.toThrow("no result");
    await inTransaction((tx) => free(tx, id, "att_1"));
    expect(await inTransaction((tx) => endHold(tx, id))).toMatchObject({ id, status: "canceled" });
    await expect(inTransaction((tx) => endHold(tx, id))).rejects.toThrow("no result");
  });
});

describe("a refund", () => {
  it("ends once", async () => {
    const taken = String((await merchant.charge("pm_card_visa")).body["id"]);
    const { db, now } = service.context;
    const charge = await db.selectFrom("charge").selectAll().where("id", "=", taken).executeTakeFirstOrThrow();
    const id = await inTransaction((tx) => insertRefund(tx, charge, { amount: 1, reason: null }, now()));
    expect(await inTransaction((tx) => settle(tx, id, null))).toMatchObject({ id, status: "succeeded" });
    await expect(inTransaction((tx) => settle(tx, id, "generic_decline"))).rejects.toThrow("no result");
  });
});

describe("a decision", () => {
  async function approved() {
    const decision = await merchant.decide("pm_card_visa");
    const terms = { ...order, decision_id: String(decision["id"]), payment_method_id: "pm_card_visa" };
    const { expires_at } = await service.context.db
      .selectFrom("decision")
      .select("expires_at")
      .where("id", "=", terms.decision_id)
      .executeTakeFirstOrThrow();
    return { terms, expires_at };
  }

  it("allows one charge, before but not at the end of its fifteen minutes", async () => {
    const { terms, expires_at } = await approved();
    const use = (at: Date) => inTransaction((tx) => consume(tx, merchant.tenant, terms, "ch_1", at));
    expect(await use(expires_at)).toBeUndefined();
    const justBefore = new Date(expires_at.getTime() - 1);
    expect(await use(justBefore)).toMatchObject({ id: terms.decision_id, status: "consumed" });
    expect(await use(justBefore)).toBeUndefined();
  });

  it("stays consumed if it is consumed and expired at the same moment", async () => {
    const { terms, expires_at } = await approved();
    const used = Promise.withResolvers<void>();
    const mayEnd = Promise.withResolvers<void>();
    const using = inTransaction(async (tx) => {
      await consume(tx, merchant.tenant, terms, "ch_2", new Date(expires_at.getTime() - 1));
      used.resolve();
      await mayEnd.promise;
    });
    await used.promise;
    const expiring = inTransaction((tx) => expireDecisions(tx, { limit: 100 }, expires_at));
    await new Promise((resolve) => setTimeout(resolve, 200)); // the expiry waits for the row
    mayEnd.resolve();
    await Promise.all([using, expiring]);
    expect(await rowOf("decision", terms.decision_id)).toMatchObject({ status: "consumed", charge_id: "ch_2" });
  });

  it("ends with its authentication if it requires one, and doesn't expire before that", async () => {
    const checkout = await openCheckout(service);
    const id = String((await checkout.pay(cardNumbers.challenge)).body["payment"]?.["id"]);
    const { terms } = await approved();
    const longAfter = new Date(service.context.now().getTime() + 24 * 60 * 60_000);
    await inTransaction((tx) => expireDecisions(tx, { limit: 100 }, longAfter));
    expect(await rowOf("decision", id)).toMatchObject({ status: "requires_action" });
    expect(await rowOf("decision", terms.decision_id)).toMatchObject({ status: "expired" });
  });
});

describe("a session", () => {
  async function open() {
    const { sessionId: id } = await openCheckout(service);
    const { expires_at } = await service.context.db
      .selectFrom("checkout_session")
      .select("expires_at")
      .where("id", "=", id)
      .executeTakeFirstOrThrow();
    return { id, expires_at };
  }

  it("accepts a payment before but not at the moment of its expiry", async () => {
    const { id, expires_at } = await open();
    expect(await inTransaction((tx) => claimForPayment(tx, id, "dec_1", 0, expires_at))).toBe(false);
    const justBefore = new Date(expires_at.getTime() - 1);
    expect(await inTransaction((tx) => claimForPayment(tx, id, "dec_1", 0, justBefore))).toBe(true);
    expect(await inTransaction((tx) => claimForPayment(tx, id, "dec_2", 0, justBefore))).toBe(false);
  });

  it("doesn't expire while a payment is in progress, but does afterwards", async () => {
    const [busy, idle] = [await open(), await open()];
    await inTransaction((tx) => claimForPayment(tx, busy.id, "dec_1", 0, service.context.now()));
    const later = new Date(idle.expires_at.getTime() + 60_000);
    const expired = await inTransaction((tx) => expireDue(tx, later, 100));
    expect(expired.map(({ id }) => id)).toContain(idle.id);
    expect(await rowOf("checkout_session", busy.id)).toMatchObject({ status: "open", payment_decision_id: "dec_1" });
  });

  it("is completed, freed or failed only by the payment in progress", async () => {
    const { id } = await open();
    await inTransaction((tx) => claimForPayment(tx, id, "dec_1", 0, service.context.now()));
    const busy = await rowOf("checkout_session", id);
    await expect(inTransaction((tx) => complete(tx, id, "dec_2", "paid"))).rejects.toThrow("no result");
    await expect(inTransaction((tx) => releaseAfterFailure(tx, id, "dec_2"))).rejects.toThrow("no result");
    await inTransaction((tx) => release(tx, id, "dec_2"));
    expect(await rowOf("checkout_session", id)).toEqual(busy);

    await inTransaction((tx) => complete(tx, id, "dec_1", "paid"));
    const paid = await rowOf("checkout_session", id);
    expect(paid).toMatchObject({ status: "complete", payment_status: "paid" });
    await expect(inTransaction((tx) => releaseAfterFailure(tx, id, "dec_1"))).rejects.toThrow("no result");
    expect(await rowOf("checkout_session", id)).toEqual(paid);
  });
});
