/** Captures, cancellations and refunds, for acquirers that decide them at once and for those that report them later. */
import { describe, expect, it } from "vitest";
import { countFaults } from "../setup/bank-ledger.ts";
import { cardNumbers } from "../setup/customer.ts";
import { summarize, type Merchant } from "../setup/merchant.ts";
import type { ApiResponse, Json } from "../setup/test-service.ts";
import { until } from "../setup/until.ts";
import {
  chargeWith,
  idOf,
  ledgerOf,
  nothing,
  refundWith,
  resume,
  type AcquirerUnderTest,
  type Balances,
  type NotifyingAcquirer,
} from "./acquirer-under-test.ts";

export const laterKinds = ["capture", "cancel", "refund"] as const;

/** One operation on a charge, and what it leads to. */
export interface Operation {
  charge: Json;
  decisionId: string;
  /** Always with the same idempotency key. */
  send(): Promise<ApiResponse>;
  /** Waits for the outcome. Returns the charge or the refund. */
  done(): Promise<Json>;
  /** The charge or the refund as it is now, and what is in progress. */
  state(): Promise<string>;
  before: Balances;
  after: Balances;
  /** The states before, while the acquirer has accepted it, and after. */
  states: { free: string; pending: string; done: string };
  /** The charge's entries in the ledger, afterwards. */
  ledger: string[];
  /** The events about the charge or the refund that follow from it, with `number` as their place among its events. */
  events(): Promise<string[]>;
  expectedEvents: string[];
}

export async function prepare(merchant: Merchant, kind: (typeof laterKinds)[number]): Promise<Operation> {
  const isRefund = kind === "refund";
  const checkout = await merchant.checkout({ capture_method: isRefund ? "automatic" : "manual" });
  await checkout.pay(cardNumbers.approved);
  const charge = await merchant.chargeOf(checkout);
  const id = idOf(charge);
  const decisionId = String(charge["decision_id"]);
  const reserved = { ...nothing, reserved: 4900 };
  const stateOfCharge = async () => {
    const { status, pending_operation } = await merchant.read(`charges/${id}`);
    return `${status}, ${pending_operation}`;
  };
  const refundOf = async () => (await merchant.list(`refunds?charge_id=${id}`))[0];
  switch (kind) {
    case "capture":
      return {
        charge,
        decisionId,
        send: () => merchant.capture(id, 1000, `capture-${id}`),
        done: () => chargeWith(merchant, id, "succeeded"),
        state: stateOfCharge,
        before: reserved,
        after: { ...nothing, captured: 1000 },
        states: { free: "authorized, null", pending: "authorized, capture", done: "succeeded, null" },
        ledger: ["capture 1000 eur"],
        events: async () => summarize(await merchant.events(id)).slice(1),
        expectedEvents: ["payment.succeeded 2 succeeded"],
      };
    case "cancel":
      return {
        charge,
        decisionId,
        send: () => merchant.cancel(id, `cancel-${id}`),
        done: () => chargeWith(merchant, id, "canceled"),
        state: stateOfCharge,
        before: reserved,
        after: nothing,
        states: { free: "authorized, null", pending: "authorized, cancel", done: "canceled, null" },
        ledger: [],
        events: async () => summarize(await merchant.events(id)).slice(1),
        expectedEvents: ["charge.canceled 2 canceled"],
      };
    case "refund":
      return {
        charge,
        decisionId,
        send: () => merchant.refund(id, 700, `refund-${id}`),
        done: () =>
          until("the refund", async () => {
            const refund = await refundOf();
            return refund !== undefined && String(refund["status"]) === "succeeded" ? refund : null;
          }),
        state: async () => String((await refundOf())?.["status"]),
        before: { ...nothing, captured: 4900 },
        after: { ...nothing, captured: 4900, refunded: 700 },
        states: { free: "undefined", pending: "pending", done: "succeeded" },
        ledger: ["capture 4900 eur", "refund -700 eur"],
        events: async () => summarize(await merchant.events(String((await refundOf())?.["id"]))),
        expectedEvents: ["refund.succeeded 1 succeeded"],
      };
  }
}

/** What is the same whenever the outcome arrives. */
export function describeOperations(tested: () => AcquirerUnderTest): void {
  describe.each(laterKinds)("a %s", (kind) => {
    it("moves money once, and is reported and recorded once", async () => {
      const merchant = await tested().newMerchant();
      const operation = await prepare(merchant, kind);
      expect(await tested().moneyOf(operation.decisionId)).toEqual(operation.before);
      expect(await operation.state()).toBe(operation.states.free);
      const responses = await Promise.all([operation.send(), operation.send(), operation.send()]);
      await operation.done();
      const again = await operation.send();
      expect({ status: again.status, replayed: again.headers["idempotent-replayed"] }).toEqual({
        status: 200,
        replayed: "true",
      });
      const [first] = responses.filter(({ status }) => status === 200);
      expect(first?.text).toBe(again.text);
      await expectDone(operation, merchant);
    });
  });

  describe("operations", () => {
    it.each<["capture" | "refund", string]>([
      ["capture", cardNumbers.captureDeclined],
      ["refund", cardNumbers.refundDeclined],
    ])("tell about a declined %s, and change nothing", async (kind, card) => {
      const merchant = await tested().newMerchant();
      const checkout = await merchant.checkout({ capture_method: kind === "capture" ? "manual" : "automatic" });
      await checkout.pay(card);
      const charge = await merchant.chargeOf(checkout);
      const money = await tested().moneyOf(String(charge["decision_id"]));
      await merchant[kind](idOf(charge), 900);
      const type = kind === "capture" ? "charge.capture_failed" : "refund.failed";
      const { data } = await until(type, async () => {
        const events = await merchant.events();
        return events.find((event) => String(event["type"]) === type) ?? null;
      });
      expect(data?.["object"]?.["failure"]).toMatchObject({ code: "card_declined" });
      expect(await merchant.read(`charges/${idOf(charge)}`)).toEqual(charge);
      expect(await tested().moneyOf(String(charge["decision_id"]))).toEqual(money);
      expect(await ledgerOf(merchant, idOf(charge))).toEqual(kind === "capture" ? [] : ["capture 4900 eur"]);
    });

    it("never refund more than was captured", async () => {
      const merchant = await tested().newMerchant();
      const checkout = await merchant.checkout({ capture_method: "manual" });
      await checkout.pay(cardNumbers.approved);
      const charge = await merchant.chargeOf(checkout);
      await merchant.capture(idOf(charge), 3000);
      await chargeWith(merchant, idOf(charge), "succeeded");
      const responses = await Promise.all(
        Array.from({ length: 5 }, (_, i) => merchant.refund(idOf(charge), 1000, `refund-${i}`)),
      );
      const accepted = responses.filter(({ status }) => status === 200);
      expect(accepted).toHaveLength(3);
      for (const { body } of accepted) await refundWith(merchant, idOf(body), "succeeded");
      expect((await merchant.refund(idOf(charge), 1)).status).toBe(400);
      expect(await merchant.read(`charges/${idOf(charge)}`)).toMatchObject({ amount_refunded: 3000 });
      expect(await tested().moneyOf(String(charge["decision_id"]))).toEqual({
        reserved: 0,
        captured: 3000,
        refunded: 3000,
      });
      expect(await tested().merchantBalanceOf(String(charge["decision_id"]))).toBe(0);
    });

    it("of which one wins: a capture or a cancellation", async () => {
      const merchant = await tested().newMerchant();
      const checkout = await merchant.checkout({ capture_method: "manual" });
      await checkout.pay(cardNumbers.approved);
      const charge = await merchant.chargeOf(checkout);
      const responses = await Promise.all([merchant.capture(idOf(charge)), merchant.cancel(idOf(charge))]);
      expect(responses.filter(({ status }) => status === 200)).toHaveLength(1);
      const status = responses[0].status === 200 ? "succeeded" : "canceled";
      await chargeWith(merchant, idOf(charge), status);
      expect(await tested().moneyOf(String(charge["decision_id"]))).toEqual({
        ...nothing,
        captured: status === "succeeded" ? 4900 : 0,
      });
    });
  });

  async function expectDone(operation: Operation, merchant: Merchant): Promise<void> {
    expect(await operation.state()).toBe(operation.states.done);
    expect(await tested().moneyOf(operation.decisionId)).toEqual(operation.after);
    expect(await ledgerOf(merchant, idOf(operation.charge))).toEqual(operation.ledger);
    expect(await operation.events()).toEqual(operation.expectedEvents);
  }
}

export function describeImmediateOperations(tested: () => AcquirerUnderTest): void {
  it.each(laterKinds)("returns the outcome of a %s", async (kind) => {
    const operation = await prepare(await tested().newMerchant(), kind);
    const response = await operation.send();
    expect(response.body).toEqual(await operation.done());
    expect(await operation.state()).toBe(operation.states.done);
  });
}

export function describeNotifiedOperations(tested: () => NotifyingAcquirer): void {
  describe.each(laterKinds)("a %s that is notified", (kind) => {
    it("is pending until its notification arrives, and isn't sent again", async () => {
      const merchant = await tested().newMerchant();
      const operation = await prepare(merchant, kind);
      tested().holdNotifications(true);
      const accepted = await operation.send();
      expect(accepted.status).toBe(200);
      expect(await operation.state()).toBe(operation.states.pending);
      expect(await operation.events()).toEqual([]);
      await tested().loseResponses(kind, "before"); // counts the requests
      for (const hours of [0.1, 1, 10]) await resume(tested(), hours * 3_600_000);
      expect(await countFaults(tested().service)).toBe(0);
      expect(await operation.state()).toBe(operation.states.pending);
      expect((await operation.send()).text).toBe(accepted.text);
      expect(await operation.events()).toEqual([]);
      await tested().stopLosing();
      await operation.done();
      expect(await tested().moneyOf(operation.decisionId)).toEqual(operation.after);
      expect(await ledgerOf(merchant, idOf(operation.charge))).toEqual(operation.ledger);
      expect(await operation.events()).toEqual(operation.expectedEvents);
      expect((await operation.send()).text).toBe(accepted.text);
    });
  });
}
