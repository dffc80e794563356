/**
 * Tests how payments of new customers are admitted: with a token of the account's bucket, or with a completed
 * challenge. Whoever has paid here before isn't affected.
 */
import { randomBytes, randomUUID } from "node:crypto";
import { beforeEach, describe, expect, it } from "vitest";
import { sharedTestCards, testCards, threeDSecureCards } from "@oriel/protocol/test-cards";
import { openForTests } from "../../../scripts/test/open-for-tests.ts";
import { takeReserve, takeToken } from "../src/payments/risk/bucket.ts";
import { takeEmptyBuckets } from "../src/payments/risk/empty-buckets.ts";
import { ownerColumns } from "../src/platform/tenant.ts";
import { sweep } from "../src/worker.ts";
import { completeChallenge } from "./setup/at-the-bank.ts";
import { ledgerOf } from "./setup/bank-ledger.ts";
import { cardNumbers, payAndAuthenticate } from "./setup/customer.ts";
import { newMerchant, type Merchant } from "./setup/merchant.ts";
import { settled } from "./setup/payment-state.ts";
import { rulesOff } from "./setup/rules-off.ts";
import { startTestService, type Json } from "./setup/test-service.ts";

const day = 24 * 60 * 60 * 1000;

const service = await openForTests(startTestService({ risk: `new_customers=10; ${rulesOff}` }));
let merchant: Merchant;
beforeEach(async () => {
  merchant = await newMerchant(service);
});

/** Pays in a new session with a card that isn't enrolled in 3-D Secure. */
async function pay(number: string = cardNumbers.approved, device?: string): Promise<Json> {
  const checkout = await merchant.checkout();
  return (await checkout.pay(number, undefined, deviceIn(device))).body["payment"] ?? {};
}

const deviceIn = (device: string | undefined) => (device === undefined ? {} : { device });

/** Pays in a new session, and passes the challenge. @returns the decision's ID */
async function payWithChallenge(device?: string, order: object = {}): Promise<string> {
  const checkout = await merchant.checkout(order);
  const id = String((await checkout.pay(cardNumbers.challenge, undefined, deviceIn(device))).body["payment"]?.["id"]);
  const payment = (await checkout.authenticate(id)).body["payment"] ?? {};
  expect(payment).toMatchObject({ status: "challenge" });
  await completeChallenge(service, payment, { code: "111111" });
  expect(await settled(checkout, id)).toMatchObject({ status: "succeeded" });
  return id;
}

async function tokens(): Promise<number | undefined> {
  const bucket = service.context.db.selectFrom("admission").select("tokens");
  return (await bucket.where("account_no", "=", merchant.tenant.accountNo).executeTakeFirst())?.tokens;
}

/** Empties the bucket, and the reserve unless it should have some tokens. */
async function emptyBucket({ reserve = 0, left = 0 } = {}): Promise<void> {
  if ((await tokens()) === undefined) await pay(testCards.mastercard);
  const bucket = service.context.db.updateTable("admission").set({ tokens: left, reserve });
  await bucket.where("account_no", "=", merchant.tenant.accountNo).execute();
}

/** Tries that the account had just now. */
async function tries(count: number, outcome: "pending" | "declined"): Promise<string[]> {
  const created_at = service.context.now();
  const rows = Array.from({ length: count }, (_, n) => ({
    ...ownerColumns(merchant.tenant),
    decision_id: `${outcome} ${n} ${merchant.accountId}`,
    session_id: `${outcome} ${n}`,
    fingerprint: randomBytes(32),
    amount: 4900,
    currency: "eur",
    outcome,
    created_at,
  }));
  await service.context.db.insertInto("card_try").values(rows).execute();
  return rows.map(({ decision_id }) => decision_id);
}

/** From other addresses. */
const declinesElsewhere = (count: number) => tries(count, "declined");

/** From the tests' address. */
async function undecidedTries(count: number): Promise<void> {
  const { livemode } = ownerColumns(merchant.tenant);
  const created_at = service.context.now();
  const ids = await tries(count, "pending");
  const shared = { livemode, card: null, network: "127.0.0.1", is_declined: false, created_at };
  const rows = ids.map((decision_id) => ({ decision_id, ...shared }));
  await service.context.db.insertInto("shared_try").values(rows).execute();
}

async function bucket(): Promise<{ tokens: number; reserve: number }> {
  const row = service.context.db.selectFrom("admission").select(["tokens", "reserve"]);
  return await row.where("account_no", "=", merchant.tenant.accountNo).executeTakeFirstOrThrow();
}

const reasonsOf = async (payment: Json) => (await merchant.read(`decisions/${payment["id"]}`))["risk"]?.["reasons"];
const reachedAcquirer = async (id: unknown) => (await ledgerOf(service, String(id))).authorizations.length > 0;

describe("a stranger", () => {
  it("pays without a challenge while there are tokens", async () => {
    expect(await pay()).toMatchObject({ status: "succeeded" });
    expect(await tokens()).toBe(9);
  });

  it("doesn't learn why a card was declined, unless an identical payment may have succeeded just before", async () => {
    expect(await pay(cardNumbers.insufficientFunds)).toMatchObject({ status: "declined", reason: "declined" });
    expect(await pay(testCards.duplicate_transaction)).toMatchObject({ status: "declined", reason: "duplicate" });
  });

  it("takes four more tokens if the issuer declines the card and many others, even if there are none left", async () => {
    await declinesElsewhere(9);
    expect(await pay(cardNumbers.declined)).toMatchObject({ status: "declined" });
    expect(await tokens()).toBe(9);
    await pay(cardNumbers.approved);
    await emptyBucket({ left: 4 });
    await pay(cardNumbers.stolen);
    expect(await tokens()).toBe(-1);
  });

  it("doesn't use up the tokens with made-up numbers from one address", async () => {
    const numbers = [cardNumbers.declined, cardNumbers.stolen, testCards.lost_card, testCards.do_not_honor];
    const made = [];
    for (const number of numbers) made.push(await pay(number));
    expect(await Promise.all(made.map(({ id }) => reachedAcquirer(id)))).toEqual([true, true, false, false]);
    expect(await reasonsOf(made[2] ?? {})).toEqual(["new_customers"]);
    expect(await tokens()).toBe(8);
  });

  it("doesn't use up the tokens with two numbers that are tried again and again in new sessions", async () => {
    for (let n = 0; n < 8; n++) await pay(n % 2 === 0 ? cardNumbers.declined : cardNumbers.stolen);
    expect(await tokens()).toBe(8);
  });

  it("doesn't use up the tokens with made-up numbers that are sent at the same moment", async () => {
    const checkouts = await Promise.all(Array.from({ length: 8 }, () => merchant.checkout()));
    const declined = Object.values(testCards).filter((number) => number.startsWith("40000000000"));
    await Promise.all(checkouts.map((checkout, n) => checkout.pay(declined[n] ?? "")));
    expect((await tokens()) ?? 10).toBeGreaterThanOrEqual(8);
  });

  it("isn't refused because of tries whose process died before there was a payment", async () => {
    await undecidedTries(2);
    expect(await reachedAcquirer((await pay(cardNumbers.insufficientFunds))["id"])).toBe(false);
    service.moveClock(day / 24);
    expect(await pay(testCards.mastercard)).toMatchObject({ status: "succeeded" });
  });

  it("may try another card after a decline, and gets tokens again from an address where more cards paid", async () => {
    await pay(cardNumbers.declined);
    expect(await pay(cardNumbers.approved)).toMatchObject({ status: "succeeded" });
    expect(await pay(testCards.mastercard)).toMatchObject({ status: "succeeded" });
    await pay(cardNumbers.stolen);
    expect(await reachedAcquirer((await pay(testCards.lost_card))["id"])).toBe(true);
    expect(await pay(sharedTestCards.cartes_bancaires_visa)).toMatchObject({ status: "declined" });
    service.moveClock(day);
    expect(await pay(sharedTestCards.cartes_bancaires_visa)).toMatchObject({ status: "succeeded" });
  });

  it("is declined before the acquirer is called if there is no token and the card isn't enrolled", async () => {
    await emptyBucket();
    const payment = await pay();
    expect(payment).toMatchObject({ status: "declined", reason: "declined" });
    expect(await merchant.read(`decisions/${payment["id"]}`)).toMatchObject({
      decline_code: "risk_rejected",
      risk: { level: "elevated", reasons: ["new_customers"] },
    });
    expect(await reachedAcquirer(payment["id"])).toBe(false);
  });

  it("needs a challenge without a token, even if the issuer wouldn't have required one", async () => {
    await emptyBucket();
    const checkout = await merchant.checkout();
    const { id, payment } = await payAndAuthenticate(checkout, cardNumbers.frictionless);
    expect(payment).toMatchObject({ status: "challenge" });
    await completeChallenge(service, payment, { code: "222222" });
    expect(await settled(checkout, id)).toMatchObject({ status: "declined" });
    expect(await reachedAcquirer(id)).toBe(false);
    await payWithChallenge();
  });

  it("pays for one card once, however often it is tried in a session", async () => {
    const checkout = await merchant.checkout();
    for (let i = 0; i < 3; i++) await checkout.pay(cardNumbers.declined);
    expect(await tokens()).toBe(9);
    await checkout.pay(cardNumbers.insufficientFunds);
    expect(await tokens()).toBe(8);
    await emptyBucket();
    const { payment } = (await checkout.pay(cardNumbers.declined)).body;
    expect(await reachedAcquirer(payment?.["id"])).toBe(true);
  });

  it("takes no more tokens than there are, even with simultaneous payments from many addresses", async () => {
    const { db, now } = service.context;
    const take = (n: number) =>
      db.transaction().execute(async (tx) => {
        const applicant = {
          decisionId: `elsewhere ${n}`,
          sessionId: null,
          fingerprint: randomBytes(32),
          bucketSize: 10,
        };
        const taken = await takeToken(tx, merchant.tenant, applicant, now());
        return taken === "empty" && (await takeReserve(tx, merchant.tenant, true, now())) ? "reserve" : taken;
      });
    const taken = await Promise.all(Array.from({ length: 15 }, (_, n) => take(n)));
    expect(Object.groupBy(taken, (one) => one)).toMatchObject({ taken: { length: 10 }, reserve: { length: 2 } });
    expect(await bucket()).toEqual({ tokens: 0, reserve: 0 });
  });

  it("gives the token back if the payment ends before the acquirer is called", async () => {
    const checkout = await merchant.checkout();
    const { id } = await payAndAuthenticate(checkout, cardNumbers.challenge);
    expect(await tokens()).toBe(9);
    await checkout.cancel(id);
    expect(await tokens()).toBe(10);
  });

  it("pays nothing more for a decline after passing a challenge", async () => {
    const checkout = await merchant.checkout();
    const { id, payment } = await payAndAuthenticate(checkout, threeDSecureCards.challenge_then_declined[0]);
    await completeChallenge(service, payment, { code: "111111" });
    expect(await settled(checkout, id)).toMatchObject({ status: "declined" });
    expect(await tokens()).toBe(9);
  });

  it.each([
    ["in setup mode", { mode: "setup" }],
    ["with a total of 0", { amount: 0, save_payment_method: true }],
  ])("always needs a challenge to save a card without paying, %s", async (_name, more) => {
    const checkout = await merchant.checkout(more);
    expect((await checkout.pay(cardNumbers.approved)).body["payment"]).toMatchObject({ status: "declined" });
    const { id, payment } = await payAndAuthenticate(checkout, cardNumbers.frictionless);
    expect(payment).toMatchObject({ status: "challenge" });
    await completeChallenge(service, payment, { code: "111111" });
    expect(await settled(checkout, id)).toMatchObject({ status: "succeeded" });
  });
});

describe("the reserve", () => {
  it("admits customers whose issuers can't challenge them, when there are no other tokens", async () => {
    await emptyBucket({ reserve: 2 });
    const { payment } = await payAndAuthenticate(await merchant.checkout(), cardNumbers.frictionless);
    expect(payment).toMatchObject({ status: "challenge" });
    expect(await pay()).toMatchObject({ status: "succeeded" });
    expect(await pay(sharedTestCards.cartes_bancaires_visa)).toMatchObject({ status: "succeeded" });
    expect(await pay(cardNumbers.insufficientFunds)).toMatchObject({ status: "declined" });
    expect(await bucket()).toMatchObject({ tokens: 0, reserve: 0 });
  });

  it("is given back if the payment ends before the acquirer is called", async () => {
    await emptyBucket();
    const checkout = await merchant.checkout();
    const { id } = await payAndAuthenticate(checkout, cardNumbers.challenge);
    const { db } = service.context;
    await db.updateTable("decision").set({ has_reserve: true }).where("id", "=", id).execute();
    await checkout.cancel(id);
    await checkout.cancel(id);
    expect(await bucket()).toEqual({ tokens: 0, reserve: 1 });
  });

  it("is taken once for a card, however often it is tried in a session", async () => {
    await emptyBucket({ reserve: 1 });
    const checkout = await merchant.checkout();
    for (let i = 0; i < 2; i++) {
      const { payment } = (await checkout.pay(cardNumbers.insufficientFunds)).body;
      expect(await reachedAcquirer(payment?.["id"])).toBe(true);
    }
  });

  it("isn't for an address or a session where cards failed", async () => {
    await pay(cardNumbers.declined);
    await pay(cardNumbers.stolen);
    await emptyBucket({ reserve: 2 });
    expect(await reachedAcquirer((await pay())["id"])).toBe(false);
    expect(await bucket()).toMatchObject({ reserve: 2 });
  });

  it("gets a token each hour, up to a quarter of the bucket", async () => {
    await emptyBucket();
    for (const expected of [1, 2, 2]) {
      service.moveClock(day / 24 + 1000);
      await sweep(service.context);
      expect(await bucket()).toMatchObject({ reserve: expected });
    }
  });
});

describe("an empty bucket", () => {
  it("is reported once a day, and only if a customer found it empty", async () => {
    const reported = async () => {
      const buckets = await takeEmptyBuckets(service.context, 100);
      return buckets.filter(({ account_no }) => account_no === merchant.tenant.accountNo).length;
    };
    await emptyBucket();
    expect(await reported()).toBe(0);
    await pay();
    expect([await reported(), await reported()]).toEqual([1, 0]);
    await pay();
    expect(await reported()).toBe(0);
    service.moveClock(day);
    expect(await reported()).toBe(0);
    await pay();
    expect([await reported(), await reported()]).toEqual([1, 0]);
  });
});

describe("a returning customer", () => {
  it("pays without a token a day after passing a challenge", async () => {
    await payWithChallenge();
    await emptyBucket();
    expect(await reasonsOf(await pay(cardNumbers.challenge))).toEqual(["new_customers"]);
    service.moveClock(day);
    const checkout = await merchant.checkout();
    const { id } = await payAndAuthenticate(checkout, cardNumbers.challenge);
    expect(await merchant.read(`decisions/${id}`)).toMatchObject({ risk: { level: "normal", reasons: [] } });
  });

  it("is known after a payment without a challenge that wasn't refunded for 30 days, and refills the bucket", async () => {
    await pay();
    await emptyBucketAfter(29 * day);
    expect(await pay()).toMatchObject({ status: "declined" });
    service.moveClock(day);
    expect(await pay()).toMatchObject({ status: "succeeded" });
    expect(await tokens()).toBe(1);
  });

  it("is new after a refunded payment without a challenge", async () => {
    const checkout = await merchant.checkout();
    await checkout.pay(cardNumbers.approved);
    await merchant.refund(String((await merchant.chargeOf(checkout))["id"]));
    await emptyBucketAfter(31 * day);
    expect(await pay()).toMatchObject({ status: "declined" });
  });

  it("isn't known at another account", async () => {
    await payWithChallenge();
    service.moveClock(2 * day);
    merchant = await newMerchant(service);
    await emptyBucket();
    const checkout = await merchant.checkout();
    const { id } = await payAndAuthenticate(checkout, cardNumbers.challenge);
    expect(await merchant.read(`decisions/${id}`)).toMatchObject({ risk: { reasons: ["new_customers"] } });
  });
});

describe("a customer who is known by the browser", () => {
  /** Makes the browser known, and empties the bucket. */
  async function knownBrowser(): Promise<string> {
    const device = randomUUID();
    await payWithChallenge(device);
    service.moveClock(day);
    await emptyBucket();
    return device;
  }

  it("pays without a token, with up to three cards", async () => {
    const device = await knownBrowser();
    expect(await pay(cardNumbers.approved, device)).toMatchObject({ status: "succeeded" });
    expect(await pay(testCards.mastercard, device)).toMatchObject({ status: "succeeded" });
    await emptyBucket(); // takes the tokens that these payments have added
    const fourth = await pay(sharedTestCards.cartes_bancaires_visa, device);
    expect(fourth).toMatchObject({ status: "declined" });
    expect(await reasonsOf(fourth)).toEqual(["new_customers"]);
    expect(await pay(cardNumbers.approved, randomUUID())).toMatchObject({ status: "declined" });
  });

  it("pays with no more than three cards at the same moment", async () => {
    const device = await knownBrowser();
    const cards = [cardNumbers.approved, testCards.mastercard, ...Object.values(sharedTestCards)];
    const payments = await Promise.all(cards.map((card) => pay(card, device)));
    const decisions = service.context.db.selectFrom("decision").select("id").where("payer", "=", "returning");
    const ids = payments.map(({ id }) => String(id));
    expect(ids.length).toBeGreaterThan(3);
    expect((await decisions.where("id", "in", ids).execute()).length).toBeLessThanOrEqual(2);
  });

  it("is new in a browser that another customer's many browsers made known", async () => {
    const devices = Array.from({ length: 4 }, () => randomUUID());
    for (const device of devices) await payWithChallenge(device);
    service.moveClock(day);
    await emptyBucket();
    for (const device of devices) expect(await pay(cardNumbers.approved, device)).toMatchObject({ status: "declined" });
  });

  it("is new after only saving a card", async () => {
    const device = randomUUID();
    await payWithChallenge(device, { mode: "setup", amount: undefined, currency: undefined });
    service.moveClock(day);
    await emptyBucket();
    expect(await pay(cardNumbers.approved, device)).toMatchObject({ status: "declined" });
  });
});

async function emptyBucketAfter(ms: number): Promise<void> {
  service.moveClock(ms);
  await emptyBucket();
}

describe("the bucket", () => {
  it("is refilled by a completed challenge", async () => {
    await emptyBucket();
    await payWithChallenge();
    expect(await tokens()).toBe(1);
  });

  it("isn't refilled by saving a card", async () => {
    await emptyBucket();
    await payWithChallenge(undefined, { mode: "setup", amount: undefined, currency: undefined });
    await payWithChallenge(undefined, { amount: 0, save_payment_method: true });
    expect(await tokens()).toBe(0);
  });

  it("gets no more than ten tokens on a day at an account with few payments", async () => {
    await payWithChallenge();
    service.moveClock(day);
    await sweep(service.context);
    await emptyBucket();
    for (let i = 0; i < 10; i++) await payWithChallenge();
    expect(await tokens()).toBe(10);
    await emptyBucket();
    await payWithChallenge();
    expect(await tokens()).toBe(0);
  });

  it("is refilled by a payment that wasn't refunded for 30 days", async () => {
    for (let i = 0; i < 5; i++) await pay();
    await emptyBucket();
    service.moveClock(29 * day);
    await sweep(service.context);
    expect(await tokens()).toBe(0);
    service.moveClock(day + 1000);
    await sweep(service.context);
    expect(await tokens()).toBe(5);
  });
});
