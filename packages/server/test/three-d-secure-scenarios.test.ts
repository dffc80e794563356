/**
 * Runs every scenario whose card numbers the bank publishes, from Pay to the event: what the customer sees, what the
 * merchant sees, and how often the acquirer was asked to charge. `demo/e2e` runs the same cards in a browser to test
 * what only a browser can show, such as a page that refuses to be embedded or a cookie.
 */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Decision } from "@oriel/protocol/api";
import { declineAdvice, type CustomerReason, type DeclineCode } from "@oriel/protocol/declines";
import { threeDSecureCards, type ThreeDSecureScenario } from "@oriel/protocol/test-cards";
import { answerChallenge, atTheBank, decideInApp, goBack, runMethod, type BankAnswer } from "./setup/at-the-bank.ts";
import { payAndAuthenticate, type Checkout } from "./setup/customer.ts";
import { newMerchant, summarize, type Merchant } from "./setup/merchant.ts";
import { authenticationsOf, decisionOf, settled } from "./setup/payment-state.ts";
import { ledgerOf } from "./setup/bank-ledger.ts";
import { startTestService, type Json, type TestService } from "./setup/test-service.ts";

type Result = NonNullable<Decision["three_d_secure"]>["result"];

interface Scenario {
  /** What the customer does on the bank's page, if there is one. */
  at?: BankAnswer;
  /**
   * What happens after that: the bank's form is posted twice, the customer gives up in our iframe, or time passes
   * without any action.
   */
  afterwards?: "twice" | "cancel" | { passesMs: number };
  result: Result;
  /** Absent if the payment succeeds. */
  declined?: { code: DeclineCode; reason: CustomerReason };
  /** Absent for the highest version. */
  version?: "2.2.0";
  /** Whether each authorization request contained a proof. */
  authorizations: readonly boolean[];
}

const right = { code: "111111" };
const no = (code: DeclineCode, reason: CustomerReason) => ({ declined: { code, reason } });
const failed = no("authentication_failed", "authentication_failed");
const hiddenFromCustomer = {
  result: "protocol_error",
  ...no("authentication_unavailable", "try_again"),
  authorizations: [],
} as const;

const paid = { result: "authenticated", authorizations: [true] } as const;
const unshifted = { result: "unavailable", authorizations: [false] } as const;

const scenarios: Record<ThreeDSecureScenario, Scenario> = {
  not_enrolled: { result: "not_supported", authorizations: [false] },
  network_not_supported: { result: "not_supported", authorizations: [false] },

  frictionless: paid,
  frictionless_without_method: paid,
  method_timeout: paid,
  method_refuses_framing: paid,
  attempted: { result: "attempted", authorizations: [true] },
  not_authenticated: { result: "failed", ...failed, authorizations: [] },
  rejected: { result: "rejected", ...no("authentication_rejected", "declined"), authorizations: [] },
  unavailable: unshifted,
  informational: paid, // a preference that we never send
  directory_server_timeout: unshifted,
  lookup_error: unshifted,
  request_refused: hiddenFromCustomer,

  challenge: { at: right, ...paid },
  challenge_passes: { at: "nothing", ...paid },
  challenge_fails: { at: "nothing", result: "failed", ...failed, authorizations: [] },
  challenge_then_declined: {
    at: right,
    result: "authenticated",
    ...no("generic_decline", "declined"),
    authorizations: [true],
  },
  challenge_then_insufficient_funds: {
    at: right,
    result: "authenticated",
    ...no("insufficient_funds", "insufficient_funds"),
    authorizations: [true],
  },
  challenge_unless_set_up: { at: right, ...paid },
  challenge_timeout: {
    at: "nothing",
    result: "timed_out",
    ...no("authentication_timed_out", "authentication_timed_out"),
    authorizations: [],
  },
  challenge_never_loads: {
    afterwards: { passesMs: 10 * 60_000 + 30_001 },
    result: "timed_out",
    ...no("authentication_timed_out", "authentication_timed_out"),
    authorizations: [],
  },
  challenge_refuses_framing: {
    afterwards: "cancel",
    result: "canceled",
    ...no("authentication_canceled", "authentication_canceled"),
    authorizations: [],
  },
  challenge_answer_lost: { at: right, ...paid },
  challenge_answer_lies: { at: right, result: "failed", ...failed, authorizations: [] },
  challenge_result_missing: { at: right, afterwards: { passesMs: 10_001 }, ...hiddenFromCustomer },
  challenge_answered_twice: { at: right, afterwards: "twice", ...paid },
  challenge_error: { at: right, afterwards: { passesMs: 10_001 }, ...hiddenFromCustomer },
  challenge_unavailable: { at: right, ...unshifted },
  challenge_attempted: { at: right, result: "attempted", authorizations: [true] },
  challenge_out_of_band: { at: { app: "approve" }, ...paid },
  challenge_single_select: { at: { choice: ["lighthouse"] }, ...paid },
  challenge_multi_select: { at: { choice: ["lighthouse", "teapot"] }, ...paid },
  challenge_wants_cookies: { at: right, ...paid },
  challenge_navigates_top: { at: right, ...paid },
  challenge_long_page: { at: right, ...paid },
  decoupled: paid,
  soft_decline: { at: right, result: "authenticated", authorizations: [true, true] },
  soft_decline_after_challenge: {
    at: right,
    result: "authenticated",
    ...no("authentication_required", "authentication_failed"),
    authorizations: [true, true],
  },
  version_2_2_0: { at: right, ...paid, version: "2.2.0" },
  version_2_3_1: { at: right, ...paid },
};

let service: TestService;
let merchant: Merchant;
beforeAll(async () => {
  service = await startTestService({ pages: true, bankWaits: { idleWithinMs: 200 } });
  merchant = await newMerchant(service);
});
afterAll(() => service.close());

// `Object.entries` loses the type of the keys, and the table has every scenario's name as a key.
describe.each(Object.entries(scenarios) as [ThreeDSecureScenario, Scenario][])("%s", (name, scenario) => {
  it(`ends ${scenario.declined === undefined ? "paid" : `declined with ${scenario.declined.code}`}, as ${scenario.result}`, async () => {
    const checkout = await merchant.checkout();
    const started = await checkout.pay(threeDSecureCards[name][0]);
    const id = String(started.body["payment"]?.["id"]);
    await playThrough(checkout, id, scenario);

    const { declined, result } = scenario;
    expect(await settled(checkout, id)).toMatchObject(
      declined === undefined
        ? { status: "succeeded" }
        : { status: "declined", reason: declined.reason, retryable: true },
    );
    expect(await decisionOf(service, id, merchant)).toMatchObject({
      three_d_secure: { result, liability_shift: result === "authenticated" || result === "attempted" },
    });
    const versions = new Set((await authenticationsOf(service, id)).map(({ version }) => version));
    expect([...versions]).toEqual(result === "not_supported" ? [] : [scenario.version ?? "2.3.1"]);
    const [charge, ...more] = await merchant.list(`charges?session_id=${checkout.sessionId}`);
    expect(more).toEqual([]);
    const failure = declined && { decline_code: declined.code, advice: declineAdvice(declined.code) };
    expect(charge).toMatchObject({ status: declined ? "failed" : "succeeded", failure: failure ?? null });
    const events = await merchant.events(String(charge?.["id"]));
    expect(summarize(events)).toEqual([declined ? "payment_failed 1 failed" : "payment.succeeded 1 succeeded"]);
    expect(await checkout.session()).toMatchObject(
      declined
        ? { status: "open", payment_status: "unpaid", attempts_left: 4 }
        : { status: "complete", payment_status: "paid" },
    );

    const { authorizations } = await ledgerOf(service, id);
    expect(authorizations.map(({ authenticated }) => authenticated)).toEqual(scenario.authorizations);
    expect(authorizations.every(({ requests }) => requests === 1)).toBe(true);
    for (const { id: transaction, trans_status } of await authenticationsOf(service, id)) {
      if (trans_status === null) continue; // the bank responded with an Erro message
      const { messages } = await atTheBank(service, transaction);
      expect(messages).toMatchObject({ AReq: 1 });
      expect(messages?.["RReq"]).toBe(messages?.["RRes"]);
    }
  });
});

it("times out a challenge that the bank ends before anyone opens it", async () => {
  const impatient = await startTestService({ bankWaits: { creqWithinMs: 100 } });
  try {
    const shop = await newMerchant(impatient);
    const checkout = await shop.checkout();
    const { id } = await payAndAuthenticate(checkout, threeDSecureCards.challenge_never_loads[0]);
    expect(await settled(checkout, id)).toMatchObject({ status: "declined", reason: "authentication_timed_out" });
    expect(await authenticationsOf(impatient, id)).toMatchObject([{ challenge_cancel: "05", result: "timed_out" }]);
  } finally {
    await impatient.close();
  }
});

/**
 * Plays the customer's part of a payment until there is nothing left to do but wait. Does so twice if the issuer
 * requires authentication later.
 */
async function playThrough(checkout: Checkout, id: string, { at, afterwards }: Scenario): Promise<void> {
  for (let round = 0; round < 2; round++) {
    let payment = await paymentOf(checkout, id);
    if (String(payment["status"]) === "three_ds") {
      if (String(payment["method"]?.["url"]).endsWith("/acs/method")) await runMethod(service, payment);
      payment = (await checkout.authenticate(id)).body["payment"] ?? payment;
    }
    if (String(payment["status"]) === "decoupled") {
      const [authentication] = await authenticationsOf(service, id);
      await decideInApp(service, authentication?.acs_trans_id ?? "", "approve");
    }
    if (String(payment["status"]) === "challenge") {
      const back = at === undefined ? null : await answerChallenge(service, payment, at);
      if (back !== null) await goBack(back);
      if (back !== null && afterwards === "twice") await goBack(back);
      if (afterwards === "cancel") await checkout.cancel(id);
      if (at === "nothing") break; // opening it twice could race with its end
    }
  }
  if (typeof afterwards === "object") service.moveClock(afterwards.passesMs);
}

async function paymentOf(checkout: Checkout, id: string): Promise<Json> {
  const payment = (await checkout.payment(id)).body["payment"];
  if (payment === undefined) throw new Error(`The payment ${id} does not exist`);
  return payment;
}
