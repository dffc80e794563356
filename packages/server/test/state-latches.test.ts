/**
 * Tests conditions of the state machines that other conditions normally hide. Each is tested alone, on a row that meets
 * the others. If one were missing, two concurrent requests could both proceed.
 */
import { sql } from "kysely";
import { describe, expect, it, vi } from "vitest";
import type { DeclineCode } from "@oriel/protocol/declines";
import { noDetails } from "@oriel/vault";
import { openForTests } from "../../../scripts/test/open-for-tests.ts";
import { approveCharge } from "../src/payments/charges/approve-charge.ts";
import { cancel, capture, endHold, free, occupy } from "../src/payments/charges/charge-state.ts";
import {
  approve,
  consumeForVerification,
  decline,
  expireDecisions,
  recordStepUp,
} from "../src/payments/decisions/decision-state.ts";
import { deliveriesChannel } from "../src/payments/events/enqueue.ts";
import { beginCharge, beginChargeAtOnce } from "../src/payments/flow/begin-charge.ts";
import { beginRefund, beginRefundAtOnce } from "../src/payments/flow/begin-refund.ts";
import { settleRefund } from "../src/payments/refunds/settle-refund.ts";
import { expireSessions } from "../src/payments/sessions/record-expired.ts";
import {
  claimForPayment,
  completeVerified,
  completeWithoutCard,
  release,
  releaseAfterFailure,
} from "../src/payments/sessions/session-state.ts";
import { noCause } from "../src/platform/cause.ts";
import type { AnnouncingKysely } from "../src/platform/storage/commit-hooks.ts";
import type { Tx } from "../src/platform/storage/database.ts";
import type { Row } from "../src/platform/storage/tables.ts";
import type { Tenant } from "../src/platform/tenant.ts";
import { cardNumbers, openCheckout, payAndAuthenticate } from "./setup/customer.ts";
import { newMerchant, order } from "./setup/merchant.ts";
import { startTestService } from "./setup/test-service.ts";

const service = await openForTests(startTestService({ role: "api" }));
const merchant = await newMerchant(service);

const reply = (declineCode: DeclineCode | null) => ({ declineCode, details: noDetails });

function inTransaction<T>(work: (tx: Tx) => Promise<T>): Promise<T> {
  return service.context.db.transaction().execute(work);
}

function rowOf<T extends "charge" | "decision" | "checkout_session" | "attempt">(table: T, id: string) {
  return service.context.db
    .selectFrom(table as "charge")
    .selectAll()
    .where("id", "=", id)
    .executeTakeFirstOrThrow() as unknown as Promise<Row<T>>;
}

const orderFor = (decision_id: string) => ({
  ...order,
  decision_id,
  payment_method_id: "pm_card_visa",
  capture_method: null,
  metadata: {},
});

describe("another account or the other mode", () => {
  it("can neither capture nor refund a charge, nor charge with a decision", async () => {
    const held = String((await merchant.charge("pm_card_visa", { capture_method: "manual" })).body["id"]);
    const taken = String((await merchant.charge("pm_card_visa")).body["id"]);
    const decision_id = String((await merchant.decide("pm_card_visa"))["id"]);
    const { context } = service;
    const tries = async (tenant: Tenant) => [
      await inTransaction((tx) => occupy(tx, tenant, held, "att_1", undefined)),
      await beginRefundAtOnce(context, context.db, tenant, { charge_id: taken, amount: 1 }, noCause, null),
      await beginChargeAtOnce(context, context.db, tenant, orderFor(decision_id), noCause, null),
    ];
    const { tenant: other } = await service.addTenant(false);
    for (const tenant of [other, { ...merchant.tenant, livemode: true }])
      expect(await tries(tenant)).toEqual([undefined, undefined, undefined]);
    expect(await tries(merchant.tenant)).toMatchObject([
      { id: held },
      { attempt: { charge_id: taken } },
      { attempt: { decision_id } },
    ]);
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
  const begin = async (amount?: number, { charge, tenant } = merchant) => {
    const charge_id = String((await charge("pm_card_visa")).body["id"]);
    const request = amount === undefined ? { charge_id } : { charge_id, amount };
    const begun = await beginRefundAtOnce(service.context, service.context.db, tenant, request, noCause, null);
    if (begun === undefined) throw new Error("the refund was refused");
    return { charge_id, ...begun };
  };

  it("reserves its amount, and ends once", async () => {
    const { charge_id, attempt, subject } = await begin(1000);
    expect(await rowOf("charge", charge_id)).toMatchObject({ amount_refunding: 1000, amount_refunded: 0 });
    expect(await settleRefund(service.context, attempt, subject, reply(null))).toMatchObject({ status: 200 });
    const refunded = await rowOf("charge", charge_id);
    expect(refunded).toMatchObject({ amount_refunding: 0, amount_refunded: 1000 });
    expect(await settleRefund(service.context, attempt, subject, reply("generic_decline"))).toBeNull();
    expect(await rowOf("charge", charge_id)).toEqual(refunded);
  });

  it("can begin as a part of a transaction", async () => {
    const charge_id = String((await merchant.charge("pm_card_visa")).body["id"]);
    const request = { charge_id, amount: 1000 };
    const rolledBack = inTransaction(async (tx) => {
      await beginRefund(service.context, tx, merchant.tenant, request, noCause);
      throw new Error("the rest of the transaction failed");
    });
    await expect(rolledBack).rejects.toThrow("the rest");
    expect(await rowOf("charge", charge_id)).toMatchObject({ amount_refunding: 0 });
    const { attempt, subject } = await inTransaction((tx) =>
      beginRefund(service.context, tx, merchant.tenant, request, noCause),
    );
    expect(await rowOf("charge", charge_id)).toMatchObject({ amount_refunding: 1000 });
    expect(await settleRefund(service.context, attempt, subject, reply(null))).toMatchObject({ status: 200 });
  });

  it("takes everything that is left if no amount is given, and makes it available again if it fails", async () => {
    const { charge_id, attempt, subject } = await begin();
    expect(attempt.amount).toBe(order.amount);
    expect(await settleRefund(service.context, attempt, subject, reply("generic_decline"))).toMatchObject({
      status: 402,
    });
    expect(await rowOf("charge", charge_id)).toMatchObject({ amount_refunding: 0, amount_refunded: 0 });
    expect(await rowOf("attempt", attempt.id)).toMatchObject({ status: "declined", decline_code: "generic_decline" });
  });

  it("wakes the dispatchers when it ends, if there is an endpoint to tell", async () => {
    const merchant = await newMerchant(service);
    const settled = async () => {
      const { attempt, subject } = await begin(undefined, merchant);
      const notify = vi.spyOn(service.context.db as AnnouncingKysely, "notify");
      await settleRefund(service.context, attempt, subject, reply(null));
      const calls = notify.mock.calls;
      notify.mockRestore();
      return calls;
    };
    expect(await settled()).toEqual([]);
    expect(
      (await merchant.call("POST", "/api/v1/webhook_endpoints", { url: "https://shop.example/hooks" })).status,
    ).toBe(200);
    expect(await settled()).toEqual([[deliveriesChannel]]);
  });

  it("changes nothing if its row is gone", async () => {
    const { charge_id, attempt, subject } = await begin(1);
    const lost = { ...attempt, refund_id: "re_none" };
    await expect(settleRefund(service.context, lost, subject, reply(null))).rejects.toThrow("null value");
    expect(await rowOf("charge", charge_id)).toMatchObject({ amount_refunding: 1, amount_refunded: 0 });
    expect(await rowOf("attempt", attempt.id)).toMatchObject({ status: "processing" });
  });
});

describe("a charge that is processing", () => {
  async function processing(more: object = {}) {
    const checkout = await merchant.checkout({ confirmation: "server", ...more });
    const paid = await checkout.pay(cardNumbers.approved);
    const decision_id = String(paid.body["payment"]?.["id"]);
    const { payment_method_id } = await rowOf("decision", decision_id);
    const charge = { ...orderFor(decision_id), payment_method_id };
    const begun = await beginChargeAtOnce(service.context, service.context.db, merchant.tenant, charge, noCause, null);
    if (begun === undefined) throw new Error("the charge was refused");
    return { checkout, ...begun, chargeId: begun.attempt.charge_id ?? "" };
  }

  it("is approved once, together with its session", async () => {
    const { checkout, attempt, subject, chargeId } = await processing();
    expect(await rowOf("checkout_session", checkout.sessionId)).toMatchObject({ payment_status: "processing" });
    expect(await approveCharge(service.context, attempt, subject, reply(null))).toMatchObject({ status: 200 });
    const [charge, session] = [await rowOf("charge", chargeId), await rowOf("checkout_session", checkout.sessionId)];
    expect(charge).toMatchObject({ status: "succeeded", amount_captured: order.amount });
    expect(session).toMatchObject({ status: "complete", payment_status: "paid" });
    expect(await approveCharge(service.context, attempt, subject, reply(null))).toBeNull();
    expect(await rowOf("charge", chargeId)).toEqual(charge);
    expect(await rowOf("checkout_session", checkout.sessionId)).toEqual(session);
  });

  it.each([
    ["the charge has ended", "charge", { status: "canceled" }],
    ["the session belongs to another payment", "checkout_session", { payment_decision_id: "dec_2" }],
    ["the session has expired", "checkout_session", { status: "expired" }],
  ] as const)("isn't approved if %s, and nothing changes", async (_name, table, changes) => {
    const { checkout, attempt, subject, chargeId } = await processing();
    const id = table === "charge" ? chargeId : checkout.sessionId;
    await service.context.db.updateTable(table).set(changes).where("id", "=", id).execute();
    const read = async () => [
      await rowOf("attempt", attempt.id),
      await rowOf("charge", chargeId),
      await rowOf("checkout_session", checkout.sessionId),
    ];
    const before = await read();
    await expect(approveCharge(service.context, attempt, subject, reply(null))).rejects.toThrow("null value");
    expect(await read()).toEqual(before);
  });

  it("isn't created for a session without a payment in progress, and nothing changes", async () => {
    const checkout = await merchant.checkout({ confirmation: "server" });
    const decision_id = String((await checkout.pay(cardNumbers.approved)).body["payment"]?.["id"]);
    const decision = await rowOf("decision", decision_id);
    const free = { payment_decision_id: null };
    await service.context.db.updateTable("checkout_session").set(free).where("id", "=", checkout.sessionId).execute();
    const charge = { ...orderFor(decision_id), payment_method_id: decision.payment_method_id };
    const begin = beginChargeAtOnce(service.context, service.context.db, merchant.tenant, charge, noCause, null);
    await expect(begin).rejects.toThrow("has no payment in progress");
    expect(await rowOf("decision", decision_id)).toEqual(decision);
  });
});

describe("a decision", () => {
  async function approved() {
    const decision_id = String((await merchant.decide("pm_card_visa"))["id"]);
    const { expires_at } = await rowOf("decision", decision_id);
    return { decision_id, expires_at };
  }

  it("allows one charge, before but not at the end of its fifteen minutes", async () => {
    const { decision_id, expires_at } = await approved();
    const at = (time: Date) => ({ ...service.context, now: () => time });
    const use = (time: Date) =>
      beginChargeAtOnce(at(time), service.context.db, merchant.tenant, orderFor(decision_id), noCause, null);
    expect(await use(expires_at)).toBeUndefined();
    await expect(
      inTransaction((tx) => beginCharge(at(expires_at), tx, merchant.tenant, orderFor(decision_id), noCause)),
    ).rejects.toMatchObject({ code: "decision_expired" });
    const justBefore = new Date(expires_at.getTime() - 1);
    const begun = await use(justBefore);
    const { status, charge_id } = await rowOf("decision", decision_id);
    expect({ status, charge_id }).toEqual({ status: "consumed", charge_id: begun?.attempt.charge_id });
    expect(await use(justBefore)).toBeUndefined();
  });

  it("expires at the end of its fifteen minutes, not before", async () => {
    const { decision_id, expires_at } = await approved();
    const statusAt = async (time: Date) => {
      await expireDecisions({ ...service.context, now: () => time }, 100);
      return (await rowOf("decision", decision_id)).status;
    };
    expect(await statusAt(new Date(expires_at.getTime() - 1))).toBe("approved");
    expect(await statusAt(expires_at)).toBe("expired");
  });

  it("expires before those that end later, if a worker can't expire all at once", async () => {
    const [later, sooner] = [await approved(), await approved()];
    const expireAt = (time: string, { decision_id }: typeof later) =>
      service.context.db
        .updateTable("decision")
        .set({ expires_at: new Date(time) })
        .where("id", "=", decision_id)
        .execute();
    await expireAt("2000-01-02", later);
    await expireAt("2000-01-01", sooner);
    const context = { ...service.context, now: () => new Date("2000-01-03") };
    expect(await expireDecisions(context, 1)).toBe(1);
    expect(await rowOf("decision", later.decision_id)).toMatchObject({ status: "approved" });
    expect(await rowOf("decision", sooner.decision_id)).toMatchObject({ status: "expired" });
    expect(await expireDecisions(context, 1)).toBe(1);
    expect(await rowOf("decision", later.decision_id)).toMatchObject({ status: "expired" });
  });

  it("stays as it is if its expiry fails, which is logged, and expires later", async () => {
    const { decision_id, expires_at } = await approved();
    const context = { ...service.context, now: () => expires_at };
    // One by one, because Citus repeats the whole text on the workers.
    const run = async (statement: string) => void (await sql.raw(statement).execute(context.db));
    await run("create function refuse() returns trigger language plpgsql as $$ begin raise 'no'; end $$");
    await run(
      `create trigger refuse before update on decision for each row when (new.id = '${decision_id}') execute function refuse()`,
    );
    const error = vi.spyOn(context.log, "error");
    expect(await expireDecisions(context, 100)).toBe(0);
    const logged = error.mock.calls;
    error.mockRestore();
    await run("drop trigger refuse on decision");
    await run("drop function refuse");
    expect(logged).toEqual([
      [expect.objectContaining({ step: "expire decisions" }), "A step failed for some accounts and will be retried"],
    ]);
    expect(await rowOf("decision", decision_id)).toMatchObject({ status: "approved" });
    expect(await expireDecisions(context, 100)).toBeGreaterThan(0);
    expect(await rowOf("decision", decision_id)).toMatchObject({ status: "expired" });
  });

  it("expires after its authentication if it was approved but not used", async () => {
    const checkout = await merchant.checkout({ confirmation: "server" });
    const { id } = await payAndAuthenticate(checkout, cardNumbers.frictionless);
    const { status, expires_at } = await rowOf("decision", id);
    expect(status).toBe("approved");
    await expireDecisions({ ...service.context, now: () => expires_at }, 100);
    expect(await rowOf("decision", id)).toMatchObject({ status: "expired" });
    expect(await checkout.session()).toMatchObject({ status: "open", payment_status: "unpaid" });
  });

  it("changes its state only from the right one", async () => {
    const { decision_id: id } = await approved();
    const authenticating = String(
      (await (await openCheckout(service)).pay(cardNumbers.challenge)).body["payment"]?.["id"],
    );
    const before = [await rowOf("decision", id), await rowOf("decision", authenticating)];
    const outcome = { result: "authenticated", version: "2.3.1", eci: "05" } as const;
    const changes: ((tx: Tx) => Promise<unknown>)[] = [
      (tx) => approve(tx, id, outcome, service.context.now()),
      (tx) => decline(tx, id, outcome, "authentication_failed", null, service.context.now()),
      (tx) => recordStepUp(tx, id, outcome, null, null),
      (tx) => consumeForVerification(tx, authenticating),
    ];
    for (const change of changes) await expect(inTransaction(change)).rejects.toThrow("no result");
    expect([await rowOf("decision", id), await rowOf("decision", authenticating)]).toEqual(before);
  });

  it("stays consumed if it is consumed and expired at the same moment", async () => {
    const { decision_id, expires_at } = await approved();
    const used = Promise.withResolvers<void>();
    const mayEnd = Promise.withResolvers<void>();
    const using = inTransaction(async (tx) => {
      const context = { ...service.context, now: () => new Date(expires_at.getTime() - 1) };
      await beginCharge(context, tx, merchant.tenant, orderFor(decision_id), noCause);
      used.resolve();
      await mayEnd.promise;
    });
    await used.promise;
    const expiring = expireDecisions({ ...service.context, now: () => expires_at }, 100);
    await new Promise((resolve) => setTimeout(resolve, 200)); // the expiry skips the row or waits for the connection
    mayEnd.resolve();
    await Promise.all([using, expiring]);
    expect(await rowOf("decision", decision_id)).toMatchObject({ status: "consumed" });
  });

  it("ends with its authentication if it requires one, and doesn't expire before that", async () => {
    const checkout = await openCheckout(service);
    const id = String((await checkout.pay(cardNumbers.challenge)).body["payment"]?.["id"]);
    const { decision_id } = await approved();
    const longAfter = new Date(service.context.now().getTime() + 24 * 60 * 60_000);
    await expireDecisions({ ...service.context, now: () => longAfter }, 100);
    expect(await rowOf("decision", id)).toMatchObject({ status: "requires_action" });
    expect(await rowOf("decision", decision_id)).toMatchObject({ status: "expired" });
  });
});

describe("an event", () => {
  it("wakes the dispatchers when its transaction commits", async () => {
    const merchant = await newMerchant(service);
    const endpoint = { url: "https://shop.example/hooks" };
    const { id } = (await merchant.call("POST", "/api/v1/webhook_endpoints", endpoint)).body;
    const notify = vi.spyOn(service.context.db as AnnouncingKysely, "notify");
    expect((await merchant.call("POST", `/api/v1/webhook_endpoints/${String(id)}/ping`)).status).toBe(200);
    expect(notify.mock.calls).toContainEqual([deliveriesChannel]);
    notify.mockRestore();
  });
});

describe("a session", () => {
  async function open(more: object = {}) {
    const { sessionId: id } = await openCheckout(service, more);
    const { expires_at } = await service.context.db
      .selectFrom("checkout_session")
      .select("expires_at")
      .where("id", "=", id)
      .executeTakeFirstOrThrow();
    return { id, expires_at };
  }

  /** What a page that was just opened shows. */
  const first = { payment_round: 0, version: 1 };

  it("accepts a payment only for the version that the customer saw, at the amount that it has", async () => {
    const { id } = await open();
    await service.call("PATCH", `/api/v1/checkout_sessions/${id}`, { amount: 5900 });
    const now = service.context.now();
    const claim = (version: number) =>
      inTransaction((tx) => claimForPayment(tx, id, "dec_1", { payment_round: 0, version }, now));
    expect(await claim(1)).toBeUndefined();
    expect(await claim(3)).toBeUndefined();
    expect(await claim(2)).toEqual({ mode: "payment", amount: 5900, currency: "eur" });
  });

  it("accepts a payment before but not at the moment of its expiry", async () => {
    const { id, expires_at } = await open();
    expect(await inTransaction((tx) => claimForPayment(tx, id, "dec_1", first, expires_at))).toBeUndefined();
    const justBefore = new Date(expires_at.getTime() - 1);
    expect(await inTransaction((tx) => claimForPayment(tx, id, "dec_1", first, justBefore))).toEqual({
      mode: "payment",
      amount: 4900,
      currency: "eur",
    });
    expect(await inTransaction((tx) => claimForPayment(tx, id, "dec_2", first, justBefore))).toBeUndefined();
  });

  it("is completed without a card once, before its expiry, and only if nothing is to be paid or saved", async () => {
    const free = await open({ amount: 0 });
    const tryOn = ({ id, expires_at }: typeof free, { shown = first, ms = -1 } = {}) =>
      inTransaction((tx) => completeWithoutCard(tx, id, shown, new Date(expires_at.getTime() + ms)));
    for (const shown of [
      { ...first, version: 2 },
      { ...first, payment_round: 1 },
    ])
      expect(await tryOn(free, { shown })).toBeUndefined();
    expect(await tryOn(free, { ms: 0 })).toBeUndefined();
    expect(await tryOn(free)).toMatchObject({ id: free.id, status: "complete", payment_decision_id: null });
    expect(await tryOn(free)).toBeUndefined();

    for (const more of [{ amount: 1 }, { amount: 0, save_payment_method: true }, { amount: 0, mode: "setup" }])
      expect(await tryOn(await open(more))).toBeUndefined();
    // Not even an earlier version's process can start a payment in such a session.
    const { id } = await open({ amount: 0 });
    const claim = inTransaction((tx) => claimForPayment(tx, id, "dec_1", first, service.context.now()));
    await expect(claim).rejects.toThrow("checkout_session_needs_no_card");
  });

  it("doesn't expire while a payment is in progress, but does afterwards", async () => {
    const [busy, idle] = [await open(), await open()];
    await inTransaction((tx) => claimForPayment(tx, busy.id, "dec_1", first, service.context.now()));
    const later = new Date(idle.expires_at.getTime() + 60_000);
    expect(await expireSessions({ ...service.context, now: () => later }, 100)).toBeGreaterThan(0);
    expect(await rowOf("checkout_session", idle.id)).toMatchObject({ status: "expired" });
    expect(await rowOf("checkout_session", busy.id)).toMatchObject({ status: "open", payment_decision_id: "dec_1" });
  });

  it("is completed, freed or failed only by the payment in progress", async () => {
    const { id } = await open();
    await inTransaction((tx) => claimForPayment(tx, id, "dec_1", first, service.context.now()));
    const busy = await rowOf("checkout_session", id);
    await expect(inTransaction((tx) => completeVerified(tx, id, "dec_2"))).rejects.toThrow("no result");
    await expect(inTransaction((tx) => releaseAfterFailure(tx, id, "dec_2"))).rejects.toThrow("no result");
    await inTransaction((tx) => release(tx, id, "dec_2"));
    expect(await rowOf("checkout_session", id)).toEqual(busy);

    await inTransaction((tx) => completeVerified(tx, id, "dec_1"));
    const completed = await rowOf("checkout_session", id);
    expect(completed).toMatchObject({ status: "complete", payment_decision_id: "dec_1" });
    await expect(inTransaction((tx) => releaseAfterFailure(tx, id, "dec_1"))).rejects.toThrow("no result");
    expect(await rowOf("checkout_session", id)).toEqual(completed);
  });
});
