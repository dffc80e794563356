/**
 * Tests that the checkout page can't tell why a new customer's card was declined: neither from the response, byte by
 * byte, nor from the time, although the bank responds to each reason after a different delay. The control is a service
 * without these rules.
 */
import { setTimeout as pause } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { testCards } from "@oriel/protocol/test-cards";
import { processDueNotifications } from "../src/payments/notifications/process.ts";
import { startAdyenCustomer, type AdyenCustomer } from "./setup/adyen-customer.ts";
import { addFaults, clearFaults } from "./setup/bank-ledger.ts";
import { newMerchant, type Merchant } from "./setup/merchant.ts";
import { startTestService, type ApiResponse, type TestService } from "./setup/test-service.ts";

const stepMs = 500;
/** Enough for a slow computer to open the page several times. */
const longStepMs = 4_000;
/** Each with the bank's delay in milliseconds. */
const reasons = [
  ["generic_decline", 0],
  ["insufficient_funds", 50],
  ["incorrect_cvc", 100],
  ["expired_card", 150],
  ["stolen_card", 200],
  ["issuer_not_available", 250],
] as const;

const day = 24 * 60 * 60 * 1000;

interface Decline {
  /** The response without what is random in it: the payment's ID and the nonce for the next card. */
  text: string;
  /** The length of the response, with its headers. */
  bytes: number;
  /** The time from the request to the bank until the response to the page. */
  shownAfterMs: number;
  code: string;
}

/** When the acquirer was called. */
async function attemptTime({ context }: TestService, decisionId: string): Promise<number> {
  const attempt = context.db.selectFrom("attempt").select("created_at").where("decision_id", "=", decisionId);
  return (await attempt.executeTakeFirstOrThrow()).created_at.getTime();
}

async function declineAll(service: TestService, merchant: Merchant): Promise<Decline[]> {
  const declines: Decline[] = [];
  for (const [reason, ms] of reasons) {
    const number = testCards[reason];
    service.moveClock(day); // the earlier declines from this address count for a day
    if (ms > 0)
      await addFaults(service, { match: { kind: "authorization", last4: number.slice(-4) }, fault: "late", ms });
    const checkout = await merchant.checkout();
    const response = await checkout.pay(number);
    const shownAt = service.context.now().getTime();
    const id = String(response.body["payment"]?.["id"]);
    const calledAt = await attemptTime(service, id);
    const charges = await merchant.list(`charges?session_id=${checkout.sessionId}`);
    declines.push({
      text: response.text.replace(id, "dec").replace(/"nonce":"[\w.-]+"/, '"nonce":""'),
      bytes: response.text.length + JSON.stringify(response.headers).length,
      shownAfterMs: shownAt - calledAt,
      code: String(charges[0]?.["failure"]?.["decline_code"]),
    });
  }
  await clearFaults(service);
  return declines;
}

describe("declines of new customers' cards", () => {
  let service: TestService;
  let merchant: Merchant;
  beforeAll(async () => {
    service = await startTestService({ risk: "on", declineStepMs: stepMs });
    merchant = await newMerchant(service);
  });
  afterAll(() => service.close());

  it("look the same and become known after a whole step, and the merchant gets each reason", async () => {
    const declines = await declineAll(service, merchant);
    expect(declines.map(({ text }) => text)).toEqual(declines.map(() => declines[0]?.text));
    expect(new Set(declines.map(({ bytes }) => bytes)).size).toBe(1);
    for (const { shownAfterMs } of declines) expect(shownAfterMs).toBeGreaterThanOrEqual(stepMs);
    expect(declines.map(({ code }) => code)).toEqual(reasons.map(([reason]) => reason));
  });

  it("become known after two steps if the acquirer takes longer than one", async () => {
    service.moveClock(day);
    const number = testCards.do_not_honor;
    await addFaults(service, { match: { kind: "authorization" }, fault: "late", ms: stepMs + 50 });
    const checkout = await merchant.checkout();
    const id = String((await checkout.pay(number)).body["payment"]?.["id"]);
    const shownAt = service.context.now().getTime();
    await clearFaults(service);
    expect(shownAt - (await attemptTime(service, id))).toBeGreaterThanOrEqual(2 * stepMs);
  });
});

describe("the decline of a new customer's card", () => {
  let service: TestService;
  let merchant: Merchant;
  beforeAll(async () => {
    service = await startTestService({ risk: "on", declineStepMs: longStepMs });
    merchant = await newMerchant(service);
  });
  afterAll(() => service.close());

  it("can't be noticed earlier by opening the page again", async () => {
    const checkout = await merchant.checkout();
    const seen: { at: number; payment: unknown; left: unknown }[] = [];
    const paying = checkout.pay(testCards.lost_card);
    let response: ApiResponse | null = null;
    while (response === null) {
      const { body } = await checkout.reopen();
      const at = service.context.now().getTime();
      seen.push({ at, payment: body["payment"]?.["status"], left: body["session"]?.["attempts_left"] });
      response = await Promise.race([paying, pause(20, null)]);
    }
    const id = String(response.body["payment"]?.["id"]);
    const calledAt = await attemptTime(service, id);
    const early = seen.filter(({ at, payment }) => payment !== undefined && at < calledAt + longStepMs);
    expect(early.length).toBeGreaterThan(5);
    expect([...new Set(early.map(({ payment, left }) => `${payment}, ${left} left`))]).toEqual(["processing, 5 left"]);
  });
});

describe("a decline that a notification reports before it becomes known", () => {
  let customer: AdyenCustomer;
  beforeAll(async () => {
    customer = await startAdyenCustomer({ risk: "on", declineStepMs: 2_000 });
  });
  afterAll(() => customer.close());

  /** Processes the notification, which has waited. */
  async function processed(): Promise<string[]> {
    const { context, moveClock } = customer.service;
    moveClock(60_000);
    await processDueNotifications(context);
    const stored = await context.db.selectFrom("acquirer_notification").select("status").execute();
    return stored.map(({ status }) => status);
  }

  it.each(["insufficient_funds", "issuer_not_available"] as const)("has the reply's reason (%s)", async (reason) => {
    const checkout = await customer.merchant.checkout();
    const { payment } = (await checkout.pay(testCards[reason])).body;
    expect(payment).toMatchObject({ status: "declined" });
    const [charge] = await customer.merchant.list(`charges?session_id=${checkout.sessionId}`);
    expect(charge).toMatchObject({ failure: { decline_code: reason } });
    expect(new Set(await processed())).toEqual(new Set(["processed"]));
    expect(await customer.merchant.read(`charges/${charge?.["id"]}`)).toEqual(charge);
  });

  it("leads to a challenge if the issuer requires one", async () => {
    const first = await customer.continue(await customer.pay("soft_decline"));
    expect(first.payment).toMatchObject({ status: "three_ds" });
    const challenged = await customer.continue(await customer.continue(first, { withMethod: false }));
    expect(await customer.finish(challenged, { code: "111111" })).toMatchObject({ status: "succeeded" });
  });
});

describe("the same declines without these rules", () => {
  it("tell some reasons apart, so the comparison works", async () => {
    const service = await startTestService({ risk: "off", declineStepMs: stepMs });
    try {
      const declines = await declineAll(service, await newMerchant(service));
      expect(new Set(declines.map(({ text }) => text)).size).toBeGreaterThan(2);
      expect(new Set(declines.map(({ bytes }) => bytes)).size).toBeGreaterThan(2);
    } finally {
      await service.close();
    }
  });
});
