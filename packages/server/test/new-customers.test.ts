/**
 * Tests how payments of new customers are admitted: with a token of the account's bucket, or with a completed challenge.
 * Whoever has paid here before isn't affected.
 */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { sweep } from "../src/worker.ts";
import { answerChallenge } from "./setup/at-the-bank.ts";
import { ledgerOf } from "./setup/bank-ledger.ts";
import { cardNumbers, payAndAuthenticate } from "./setup/customer.ts";
import { newMerchant, type Merchant } from "./setup/merchant.ts";
import { settled } from "./setup/payment-state.ts";
import { rulesOff } from "./setup/rules-off.ts";
import { startTestService, type Json, type TestService } from "./setup/test-service.ts";

const day = 24 * 60 * 60 * 1000;

let service: TestService;
let merchant: Merchant;
beforeAll(async () => {
  service = await startTestService({ risk: `new_customers=2; ${rulesOff}` });
});
afterAll(() => service.close());
beforeEach(async () => {
  merchant = await newMerchant(service);
});

/** Pays in a new session with a card that isn't enrolled in 3-D Secure. */
async function pay(number: string = cardNumbers.approved): Promise<Json> {
  return (await (await merchant.checkout()).pay(number)).body["payment"] ?? {};
}

/** Pays in a new session, and passes the challenge. @returns the decision's ID */
async function payWithChallenge(): Promise<string> {
  const checkout = await merchant.checkout();
  const { id, payment } = await payAndAuthenticate(checkout, cardNumbers.challenge);
  expect(payment).toMatchObject({ status: "challenge" });
  await answerChallenge(service, payment, { code: "111111" });
  expect(await settled(checkout, id)).toMatchObject({ status: "succeeded" });
  return id;
}

async function tokens(): Promise<number | undefined> {
  const bucket = service.context.db.selectFrom("admission").select("tokens");
  return (await bucket.where("account_no", "=", merchant.tenant.accountNo).executeTakeFirst())?.tokens;
}

/** Empties the bucket, with declined cards. */
async function emptyBucket(): Promise<void> {
  await pay(cardNumbers.declined);
  await pay(cardNumbers.stolen);
  expect(await tokens()).toBe(0);
}

const isAsked = async (id: unknown) => (await ledgerOf(service, String(id))).authorizations.length > 0;

describe("a stranger", () => {
  it("pays without a challenge while there are tokens", async () => {
    expect(await pay()).toMatchObject({ status: "succeeded" });
    expect(await tokens()).toBe(1);
    expect(await pay(cardNumbers.declined)).toMatchObject({ status: "declined" });
    expect(await tokens()).toBe(0);
  });

  it("is declined before the acquirer is asked if there is no token and the card isn't enrolled", async () => {
    await emptyBucket();
    const payment = await pay();
    expect(payment).toMatchObject({ status: "declined", reason: "declined" });
    expect(await merchant.read(`decisions/${payment["id"]}`)).toMatchObject({
      decline_code: "risk_rejected",
      risk: { level: "elevated", reasons: ["new_customers"] },
    });
    expect(await isAsked(payment["id"])).toBe(false);
  });

  it("needs a challenge without a token, even if the issuer wouldn't have required one", async () => {
    await emptyBucket();
    const checkout = await merchant.checkout();
    const { id, payment } = await payAndAuthenticate(checkout, cardNumbers.frictionless);
    expect(payment).toMatchObject({ status: "challenge" });
    await answerChallenge(service, payment, { code: "222222" });
    expect(await settled(checkout, id)).toMatchObject({ status: "declined" });
    expect(await isAsked(id)).toBe(false);
    await payWithChallenge();
  });

  it("takes one token for several tries of one card in a session", async () => {
    const checkout = await merchant.checkout();
    for (let i = 0; i < 3; i++) await checkout.pay(cardNumbers.declined);
    expect(await tokens()).toBe(1);
    await checkout.pay(cardNumbers.insufficientFunds);
    expect(await tokens()).toBe(0);
    expect((await checkout.pay(cardNumbers.declined)).body["payment"]).toMatchObject({ status: "declined" });
  });

  it("takes no more tokens than there are, even with simultaneous payments", async () => {
    const checkouts = await Promise.all(Array.from({ length: 8 }, () => merchant.checkout()));
    const payments = await Promise.all(checkouts.map((checkout) => checkout.pay(cardNumbers.approved)));
    const paid = payments.filter(({ body }) => String(body["payment"]?.["status"]) === "succeeded");
    expect(paid).toHaveLength(2);
  });

  it("gives the token back if the payment ends before the acquirer is asked", async () => {
    const checkout = await merchant.checkout();
    const { id } = await payAndAuthenticate(checkout, cardNumbers.challenge);
    expect(await tokens()).toBe(1);
    await checkout.cancel(id);
    expect(await tokens()).toBe(2);
  });

  it("always needs a challenge to save a card without paying", async () => {
    const checkout = await merchant.checkout({ mode: "setup" });
    expect((await checkout.pay(cardNumbers.approved)).body["payment"]).toMatchObject({ status: "declined" });
    const { id, payment } = await payAndAuthenticate(checkout, cardNumbers.frictionless);
    expect(payment).toMatchObject({ status: "challenge" });
    await answerChallenge(service, payment, { code: "111111" });
    expect(await settled(checkout, id)).toMatchObject({ status: "succeeded" });
  });
});

describe("a returning customer", () => {
  it("pays without a token a day after passing a challenge, and refills the bucket", async () => {
    await payWithChallenge();
    await emptyBucket();
    expect(await pay(cardNumbers.challenge)).toMatchObject({ status: "three_ds" });
    service.moveClock(day);
    const checkout = await merchant.checkout();
    const { id } = await payAndAuthenticate(checkout, cardNumbers.challenge);
    expect(await merchant.read(`decisions/${id}`)).toMatchObject({ risk: { level: "normal", reasons: [] } });
  });

  it("is known after a payment without a challenge that wasn't refunded for 30 days", async () => {
    await pay();
    await emptyBucketAfter(29 * day);
    expect(await pay()).toMatchObject({ status: "declined" });
    service.moveClock(day);
    expect(await pay()).toMatchObject({ status: "succeeded" });
    expect(await tokens()).toBe(1);
  });

  it("isn't known after a payment that was refunded", async () => {
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

/** Moves the clock, and then takes the remaining tokens. */
async function emptyBucketAfter(ms: number): Promise<void> {
  service.moveClock(ms);
  while ((await tokens()) !== 0) {
    const checkout = await merchant.checkout();
    await checkout.pay(cardNumbers.declined);
  }
}

describe("the bucket", () => {
  it("is refilled by a completed challenge", async () => {
    await emptyBucket();
    await payWithChallenge();
    expect(await tokens()).toBe(1);
  });

  it("is refilled by a payment that wasn't refunded for 30 days", async () => {
    await pay();
    await pay(cardNumbers.declined);
    service.moveClock(29 * day);
    await sweep(service.context);
    expect(await tokens()).toBe(0);
    service.moveClock(day + 1000);
    await sweep(service.context);
    expect(await tokens()).toBe(1);
  });
});
