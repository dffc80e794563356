/** Tests full and partial refunds, sequential and concurrent. The total refunded never exceeds the amount captured. */
import { afterEach, describe, expect, it, vi } from "vitest";
import { noDetails } from "@oriel/vault";
import { openForTests } from "../../../scripts/test/open-for-tests.ts";
import { readerPauseSeconds } from "../src/payments/attempts/deadlines.ts";
import type { Db } from "../src/platform/storage/database.ts";
import { addFaults, clearFaults, ledgerOf } from "./setup/bank-ledger.ts";
import { cardNumbers } from "./setup/customer.ts";
import { expectError, invalid, missing, type Refusal } from "./setup/expect-error.ts";
import { newMerchant, summarize } from "./setup/merchant.ts";
import { startTestService, type Json } from "./setup/test-service.ts";
import { until } from "./setup/until.ts";

const service = await openForTests(startTestService());
const merchant = await newMerchant(service);
afterEach(() => clearFaults(service));

const declined: Refusal = { status: 402, type: "card_error", code: "card_declined", decline_code: "generic_decline" };
const unknown: Refusal = { status: 503, type: "api_error", code: "payment_outcome_unknown" };
const spent = invalid("charge_not_refundable", "charge_id");

async function pay(): Promise<Json> {
  const { body } = await merchant.charge("pm_card_visa");
  expect(body).toMatchObject({ status: "succeeded", amount_captured: 4900, amount_refunded: 0 });
  return body;
}

const idOf = ({ id }: Json | undefined = {}) => String(id);
const read = (charge: Json) => merchant.read(`charges/${charge["id"]}`);
const refundsOf = (charge: Json) => merchant.list(`refunds?charge_id=${charge["id"]}&limit=100`);

/** What the acquirer's records say about a charge. */
async function booked(charge: Json) {
  const { authorizations, refunds } = await ledgerOf(service, String(charge["decision_id"]));
  const amounts = refunds.filter(({ status }) => status === "approved").map(({ amount }) => amount);
  return { refunded: authorizations[0]?.amount_refunded, amounts };
}

describe("a refund", () => {
  it("is in the ledger even if the acquirer returns the same ID for each", async () => {
    const charge = await pay();
    const outcome = { outcome: "approved", details: { ...noDetails, acquirerId: "bank_1" } } as const;
    const bank = vi.spyOn(service.context.vault.test, "refund").mockResolvedValue(outcome);
    for (const amount of [1000, 1500]) expect((await merchant.refund(idOf(charge), amount)).status).toBe(200);
    bank.mockRestore();
    const entries = await merchant.list(`ledger_entries?charge_id=${charge["id"]}`);
    expect(entries.toSorted((one, other) => Number(other["amount"]) - Number(one["amount"]))).toMatchObject([
      { kind: "capture", amount: 4900 },
      { kind: "refund", amount: -1000, reference: "bank_1" },
      { kind: "refund", amount: -1500, reference: expect.stringMatching(/^att_/) as string },
    ]);
  });

  it("succeeds if another refund fails while it waits for the charge", async () => {
    const charge = await pay();
    const reserve = (db: Db, amount_refunding: number) =>
      db.updateTable("charge").set({ amount_refunding }).where("id", "=", idOf(charge)).execute();
    await reserve(service.context.db, 3000);
    const request = { charge_id: charge["id"], amount: 4000 };
    const refund = await service.context.db.transaction().execute(async (tx) => {
      await reserve(tx, 0);
      const response = merchant.call("POST", "/api/v1/refunds", request, { "idempotency-key": idOf(charge) });
      await new Promise((resolve) => setTimeout(resolve, 300));
      return { response };
    });
    expect(await refund.response).toMatchObject({ status: 200, body: { amount: 4000 } });
  });

  it("refunds the full captured amount by default", async () => {
    const charge = await pay();
    const reason = "Too green 🎈; drop table refund --";
    const { body } = await merchant.call("POST", "/api/v1/refunds", { charge_id: charge["id"], reason });
    expect(body).toEqual({
      id: expect.stringMatching(/^re_[0-9a-z]{33}$/),
      object: "refund",
      livemode: false,
      created: expect.any(Number),
      status: "succeeded",
      amount: 4900,
      currency: "eur",
      charge_id: charge["id"],
      reason,
      failure: null,
    });
    expect(await merchant.read(`refunds/${body["id"]}`)).toEqual(body);
    expect(await refundsOf(charge)).toEqual([body]);
    expect(await read(charge)).toEqual({ ...charge, amount_refunded: 4900 });
    expect(await booked(charge)).toEqual({ refunded: 4900, amounts: [4900] });
    const events = await merchant.events(idOf(body));
    expect(summarize(events)).toEqual(["refund.succeeded 1 succeeded"]);
    expect(events[0]?.["data"]?.["object"]).toEqual(body);
    expectError(await merchant.refund(idOf(charge)), spent);
    expectError(await merchant.refund(idOf(charge), 1), spent);
  });

  it("can be partial, and the last one covers the remainder", async () => {
    const charge = await pay();
    for (const amount of [1, 900, 2000])
      expect((await merchant.refund(idOf(charge), amount)).body).toMatchObject({ amount });
    expect(await read(charge)).toMatchObject({ status: "succeeded", amount_captured: 4900, amount_refunded: 2901 });
    for (const amount of [2000, 4900, 999_999_999_999]) {
      const refused = await merchant.refund(idOf(charge), amount);
      expectError(refused, invalid("amount_too_large", "amount"));
      expect(refused.text).toContain("You can refund up to €19.99 of charge");
    }
    expect((await merchant.refund(idOf(charge))).body).toMatchObject({ amount: 1999, status: "succeeded" });
    expectError(await merchant.refund(idOf(charge), 1), spent);
    expect(await read(charge)).toMatchObject({ amount_refunded: 4900 });
    expect(await booked(charge)).toEqual({ refunded: 4900, amounts: [1, 900, 2000, 1999] });
  });

  it("is limited to the captured amount when more was reserved", async () => {
    const { body: charge } = await merchant.charge("pm_card_visa", { capture_method: "manual" });
    await merchant.capture(idOf(charge), 1000);
    expectError(await merchant.refund(idOf(charge), 1001), invalid("amount_too_large", "amount"));
    expect((await merchant.refund(idOf(charge))).body).toMatchObject({ amount: 1000 });
    expect(await booked(charge)).toEqual({ refunded: 1000, amounts: [1000] });
  });

  it("is refused when no money was captured: reserved, canceled, declined, unknown or missing charge", async () => {
    const { body: reserved } = await merchant.charge("pm_card_visa", { capture_method: "manual" });
    expectError(await merchant.refund(idOf(reserved), 1), spent);
    await merchant.cancel(idOf(reserved));
    expectError(await merchant.refund(idOf(reserved)), spent);
    await merchant.charge("pm_card_declined_generic");
    const [failed] = await merchant.list("charges?limit=1");
    expectError(await merchant.refund(idOf(failed)), spent);
    await addFaults(
      service,
      { match: { kind: "authorization" }, fault: "down" },
      { match: { kind: "lookup" }, fault: "down" },
    );
    expectError(await merchant.charge("pm_card_mastercard"), unknown);
    const [processing] = await merchant.list("charges?limit=1");
    expect(processing).toMatchObject({ status: "processing" });
    expectError(await merchant.refund(idOf(processing)), spent);
    const ofNone = await merchant.refund("ch_none");
    expectError(ofNone, invalid("resource_missing", "charge_id"));
    expect(ofNone.body).toMatchObject({ error: { message: 'No such charge: "ch_none".' } });
    expectError(await merchant.call("GET", "/api/v1/refunds/re_none"), missing);
    for (const charge of [reserved, failed, processing]) expect(await refundsOf(charge ?? {})).toEqual([]);
  });

  it("fails when the acquirer declines it, sends an event, and leaves the amount refundable", async () => {
    const checkout = await merchant.checkout();
    await checkout.pay(cardNumbers.refundDeclined);
    const charge = await merchant.chargeOf(checkout);
    for (const amount of [4900, 100]) expectError(await merchant.refund(idOf(charge), amount), declined);
    const [last, first, ...more] = await refundsOf(charge);
    expect(more).toEqual([]);
    expect(first).toMatchObject({
      status: "failed",
      amount: 4900,
      failure: {
        code: "card_declined",
        decline_code: "generic_decline",
        advice: "try_again_later",
        message: expect.any(String),
      },
    });
    expect(last).toMatchObject({ status: "failed", amount: 100 });
    expect(summarize(await merchant.events(idOf(first)))).toEqual(["refund.failed 1 failed"]);
    expect(await read(charge)).toEqual(charge);
    expect(await booked(charge)).toEqual({ refunded: 0, amounts: [] });
    // The amount set aside is free again, so all of it can be refunded.
    expectError(await merchant.refund(idOf(charge), 4901), invalid("amount_too_large", "amount"));
    expectError(await merchant.refund(idOf(charge)), declined);
  });

  it("says that it wasn't made, instead of to try again later, if the acquirer doesn't know the payment", async () => {
    const charge = await pay();
    const outcome = { outcome: "declined", declineCode: "processing_error", details: noDetails } as const;
    const acquirer = vi.spyOn(service.context.vault.test, "refund").mockResolvedValue(outcome);
    const { body } = await merchant.refund(idOf(charge));
    acquirer.mockRestore();
    const message =
      "The refund wasn't made, or the money came back, so the customer doesn't have it. Check the payment in the acquirer's records before you try again.";
    expect(body["error"]).toMatchObject({ decline_code: "processing_error", message });
    expect(await refundsOf(charge)).toMatchObject([{ status: "failed", failure: { message } }]);
  });

  it("leaves the session paid", async () => {
    const checkout = await merchant.checkout();
    await checkout.pay(cardNumbers.approved);
    const before = await checkout.session();
    await merchant.refund(idOf(await merchant.chargeOf(checkout)));
    expect(await checkout.session()).toEqual(before);
    expect(before).toMatchObject({ status: "complete", payment_status: "paid" });
  });
});

describe("fifty concurrent refunds", () => {
  it.each([
    ["of €3.00 each", 300, 16],
    ["of €0.99 each", 99, 49],
    ["of €49.00 each", 4900, 1],
    ["of the remaining amount", undefined, 1],
  ])("%s never refund more than was captured, but as much as fits", async (_name, amount, fit) => {
    const charge = await pay();
    const responses = await Promise.all(
      Array.from({ length: 50 }, (_, i) => merchant.refund(idOf(charge), amount, `fifty-${idOf(charge)}-${i}`)),
    );
    const done = responses.filter(({ status }) => status === 200);
    expect(done).toHaveLength(fit);
    for (const { status, body } of responses.filter((response) => !done.includes(response))) {
      expect(status).toBe(400);
      expect(["amount_too_large", "charge_not_refundable"]).toContain(body["error"]?.["code"]);
    }
    const sum = fit * (amount ?? 4900);
    expect(await read(charge)).toMatchObject({ amount_captured: 4900, amount_refunded: sum });
    expect(await booked(charge)).toEqual({ refunded: sum, amounts: Array(fit).fill(amount ?? 4900) });
    expect(await refundsOf(charge)).toHaveLength(fit);
    for (const { body } of done)
      expect(summarize(await merchant.events(idOf(body)))).toEqual(["refund.succeeded 1 succeeded"]);
  });
});

describe("a refund of unknown outcome", () => {
  it("is processing, and its amount is set aside until the acquirer responds", async () => {
    const charge = await pay();
    await addFaults(
      service,
      { match: { kind: "refund" }, fault: "down" },
      { match: { kind: "lookup" }, fault: "down" },
    );
    expectError(await merchant.refund(idOf(charge), 3000, "refund-unknown"), unknown);
    const [refund] = await refundsOf(charge);
    expect(refund).toMatchObject({ status: "processing", amount: 3000, failure: null });
    expect(await read(charge)).toMatchObject({ amount_refunded: 0 });
    expect(await merchant.events(idOf(refund))).toEqual([]);
    await clearFaults(service);
    expectError(await merchant.refund(idOf(charge), 1901), invalid("amount_too_large", "amount"));
    expect((await merchant.refund(idOf(charge), 1900, "refund-known")).status).toBe(200);

    service.moveClock(readerPauseSeconds * 1000);
    const ended = await until("the refund to end", async () => {
      const response = await merchant.refund(idOf(charge), 3000, "refund-unknown");
      return response.status === 503 ? null : response;
    });
    expect(ended.body).toEqual({ ...refund, status: "succeeded" });
    expect(await booked(charge)).toMatchObject({ refunded: 4900 });
    expect(summarize(await merchant.events(idOf(refund)))).toEqual(["refund.succeeded 1 succeeded"]);
  });

  it("isn't duplicated when it is sent again without a key", async () => {
    const charge = await pay();
    expect((await merchant.refund(idOf(charge), 1000)).status).toBe(200);
    await addFaults(
      service,
      { match: { kind: "refund" }, fault: "error_after" },
      { match: { kind: "lookup" }, fault: "down" },
    );
    expectError(await merchant.refund(idOf(charge), 3899), unknown);
    for (const amount of [1, undefined]) {
      const again = await merchant.refund(idOf(charge), amount);
      expectError(again, invalid("charge_operation_in_progress"));
      expect(again.body["error"]?.["message"]).toContain("may be a duplicate");
    }
    expectError(await merchant.refund(idOf(charge), 2), invalid("amount_too_large", "amount"));
    expect(await refundsOf(charge)).toHaveLength(2);

    await clearFaults(service);
    service.moveClock(readerPauseSeconds * 1000);
    await until("the refund to end", async () =>
      String((await refundsOf(charge))[0]?.["status"]) === "succeeded" ? true : null,
    );
    expect(await booked(charge)).toEqual({ refunded: 4899, amounts: [1000, 3899] });
    // The outcome is known now, so this is a new refund.
    expect((await merchant.refund(idOf(charge), 1)).status).toBe(200);
    expect(await booked(charge)).toEqual({ refunded: 4900, amounts: [1000, 3899, 1] });
  });

  it("is created once when two are sent at the same moment without a key", async () => {
    const charge = await pay();
    await addFaults(service, { match: { kind: "refund" }, fault: "late", ms: 1000 });
    const responses = await Promise.all([merchant.refund(idOf(charge), 1000), merchant.refund(idOf(charge), 1000)]);
    expect(responses.map(({ status }) => status).sort((a, b) => a - b)).toEqual([200, 400]);
    expect(await booked(charge)).toEqual({ refunded: 1000, amounts: [1000] });
  });
});
