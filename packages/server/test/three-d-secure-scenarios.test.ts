/**
 * Runs every scenario whose card numbers the bank publishes, from Pay to the event: what the customer sees, what the
 * merchant sees, the messages to the issuer, and how often the acquirer was called to charge. `demo/e2e` runs some of
 * the cards in a browser to test what only a browser can show, such as a page that refuses to be embedded or a cookie.
 */
import { describe, expect, it } from "vitest";
import type { Decision } from "@oriel/protocol/api";
import { declineAdvice, type CustomerReason, type DeclineCode } from "@oriel/protocol/declines";
import { threeDSecureCards, type ThreeDSecureScenario } from "@oriel/protocol/test-cards";
import { openForTests } from "../../../scripts/test/open-for-tests.ts";
import {
  completeChallenge,
  atTheBank,
  decideInApp,
  goBack,
  runMethod,
  type ChallengeInput,
} from "./setup/at-the-bank.ts";
import { ledgerOf } from "./setup/bank-ledger.ts";
import { payAndAuthenticate, type Checkout } from "./setup/customer.ts";
import { newMerchant, summarize } from "./setup/merchant.ts";
import { authenticationsOf, decisionOf, settled } from "./setup/payment-state.ts";
import { startTestService, type Json } from "./setup/test-service.ts";

type Result = NonNullable<Decision["three_d_secure"]>["result"];

interface Scenario {
  /** What the customer does on the bank's page, if there is one. */
  at?: ChallengeInput;
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
  /** For each authentication, the transStatus of the ARes, or Erro, and that of the RReq, if there was one. */
  authentications: readonly string[];
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

const paid = { result: "authenticated", authentications: ["Y"], authorizations: [true] } as const;
const passed = { at: right, ...paid, authentications: ["C Y"] } as const;
const unshifted = { result: "unavailable", authorizations: [false] } as const;
const withoutThreeDSecure = { result: "not_supported", authentications: [], authorizations: [false] } as const;

const scenarios: Record<ThreeDSecureScenario, Scenario> = {
  not_enrolled: withoutThreeDSecure,
  network_not_supported: withoutThreeDSecure,

  frictionless: paid,
  frictionless_without_method: paid,
  method_timeout: paid,
  method_refuses_framing: paid,
  attempted: { result: "attempted", authentications: ["A"], authorizations: [true] },
  not_authenticated: { result: "failed", ...failed, authentications: ["N"], authorizations: [] },
  rejected: {
    result: "rejected",
    ...no("authentication_rejected", "declined"),
    authentications: ["R"],
    authorizations: [],
  },
  unavailable: { ...unshifted, authentications: ["U"] },
  informational: paid, // a preference that we never send
  directory_server_timeout: { ...unshifted, authentications: ["Erro"] },
  lookup_error: { ...unshifted, authentications: ["Erro"] },
  request_refused: { ...hiddenFromCustomer, authentications: ["Erro"] },

  challenge: passed,
  challenge_passes: { ...passed, at: "nothing" },
  challenge_fails: { at: "nothing", result: "failed", ...failed, authentications: ["C N"], authorizations: [] },
  challenge_then_declined: {
    ...passed,
    ...no("generic_decline", "declined"),
  },
  challenge_then_insufficient_funds: {
    ...passed,
    ...no("insufficient_funds", "insufficient_funds"),
  },
  challenge_unless_set_up: passed,
  challenge_timeout: {
    at: "nothing",
    result: "timed_out",
    ...no("authentication_timed_out", "authentication_timed_out"),
    authentications: ["C U"],
    authorizations: [],
  },
  challenge_never_loads: {
    afterwards: { passesMs: 10 * 60_000 + 30_001 },
    result: "timed_out",
    ...no("authentication_timed_out", "authentication_timed_out"),
    authentications: ["C"],
    authorizations: [],
  },
  challenge_refuses_framing: {
    afterwards: "cancel",
    result: "canceled",
    ...no("authentication_canceled", "authentication_canceled"),
    authentications: ["C"],
    authorizations: [],
  },
  challenge_answer_lost: passed,
  challenge_answer_lies: { at: right, result: "failed", ...failed, authentications: ["C N"], authorizations: [] },
  challenge_result_missing: {
    at: right,
    afterwards: { passesMs: 10_001 },
    ...hiddenFromCustomer,
    authentications: ["C"],
  },
  challenge_answered_twice: { ...passed, afterwards: "twice" },
  challenge_error: {
    at: right,
    afterwards: { passesMs: 10_001 },
    ...hiddenFromCustomer,
    authentications: ["C"],
  },
  challenge_unavailable: { at: right, ...unshifted, authentications: ["C U"] },
  challenge_attempted: { ...passed, result: "attempted", authentications: ["C A"] },
  challenge_out_of_band: { ...passed, at: { app: "approve" } },
  challenge_single_select: { ...passed, at: { choice: ["lighthouse"] } },
  challenge_multi_select: { ...passed, at: { choice: ["lighthouse", "teapot"] } },
  challenge_wants_cookies: passed,
  challenge_navigates_top: passed,
  challenge_long_page: passed,
  decoupled: { ...paid, authentications: ["D Y"] },
  soft_decline: { ...passed, authentications: ["Y", "C Y"], authorizations: [true, true] },
  soft_decline_after_challenge: {
    ...passed,
    ...no("authentication_required", "authentication_failed"),
    authentications: ["Y", "C Y"],
    authorizations: [true, true],
  },
  version_2_2_0: { ...passed, version: "2.2.0" },
  version_2_3_1: passed,
};

const service = await openForTests(startTestService({ pages: true, bankWaits: { idleWithinMs: 200 } }));
const merchant = await newMerchant(service);

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
    expect(events[0]?.["data"]?.["object"]).toMatchObject({ failure: failure ?? null });
    expect(await checkout.session()).toMatchObject(
      declined
        ? { status: "open", payment_status: "unpaid", attempts_left: 4 }
        : { status: "complete", payment_status: "paid" },
    );

    const { authorizations } = await ledgerOf(service, id);
    const isLastApproved = declined === undefined;
    expect(authorizations.map(({ status, authenticated, requests }) => [status, authenticated, requests])).toEqual(
      scenario.authorizations.map((proven, at, { length }) => [
        isLastApproved && at === length - 1 ? "approved" : "declined",
        proven,
        1,
      ]),
    );
    const atBank = await Promise.all((await authenticationsOf(service, id)).map((row) => atTheBank(service, row.id)));
    const results = atBank.map(({ transStatus, result }) => [transStatus ?? "Erro", result?.["transStatus"]]);
    expect(results.map((statuses) => statuses.filter(Boolean).join(" "))).toEqual(scenario.authentications);
    for (const { transStatus, result, messages } of atBank) {
      const results = result ? 1 : 0;
      const opened = String(transStatus) === "C" && scenario.at !== undefined ? 1 : 0;
      expect(messages).toMatchObject({ AReq: 1, CReq: opened, RReq: results, RRes: results });
    }
  });
});

it("charges a card that was saved with a challenge later, without the customer or another authentication", async () => {
  const checkout = await merchant.checkout({ save_payment_method: true });
  const { id, payment } = await payAndAuthenticate(checkout, threeDSecureCards.challenge_unless_set_up[0]);
  await completeChallenge(service, payment, right);
  await settled(checkout, id);
  const { payment_method_id } = await checkout.session();
  const charge = await merchant.charge(String(payment_method_id));
  expect(charge.body).toMatchObject({ status: "succeeded" });
  const later = String(charge.body["decision_id"]);
  expect(await authenticationsOf(service, later)).toEqual([]);
  expect((await ledgerOf(service, later)).authorizations).toMatchObject([{ status: "approved", requests: 1 }]);
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
      const back = at === undefined ? null : await completeChallenge(service, payment, at);
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
