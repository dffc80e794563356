/**
 * The results a bank can return, with the sandbox's published cards as listed in docs/testing.md, where the outcome
 * depends on the service and not the browser. Cases that depend on the browser are in scenarios.spec.ts. Each ends in
 * one charge, one event, and only the expected messages to the bank.
 */
import { expect, test, type Page } from "@playwright/test";
import { threeDSecureCards } from "@oriel/protocol/test-cards";
import { answerChallenge, cardOf, pay } from "../checkout.ts";
import { heard } from "../hosts/host-checkout.ts";
import { oriel, sessionOf } from "../hosts/sessions.ts";
import { cancelAtBank, choose, mistypeThreeTimes } from "./at-the-bank.ts";
import { authenticationsOf, authorizationsOf } from "./bank-records.ts";
import { chargeOf, expectEnd, payBy, type End, type Try } from "./try-to-pay.ts";

const approved = ["approved"] as const;
const declined = ["declined"] as const;
const challenged = { answers: ["C"], result: "authenticated", shift: true, results: ["Y"] } as const;
const failed: End = {
  charge: "authentication_failed",
  result: "failed",
  shift: false,
  answers: ["C"],
  results: ["N"],
  authorizations: [],
};
/** The customer returned from the challenge, but the bank's result didn't arrive. */
const unproved: End = { ...failed, charge: "authentication_unavailable", result: "protocol_error", results: [null] };
const typeRightCode = (page: Page) => answerChallenge(page, "111111");

interface Row {
  what: string;
  number: string;
  /** What the customer does at the bank. */
  does?: (page: Page) => Promise<void>;
  end: End;
  /** Text that the customer then sees: above the form, or as the result. */
  reads?: RegExp;
}

const rows: Row[] = [
  {
    what: "a card without 3-D Secure",
    number: threeDSecureCards.not_enrolled[0],
    end: { charge: "paid", result: "not_supported", shift: false, answers: [], authorizations: approved },
  },
  {
    what: "a network without 3-D Secure",
    number: threeDSecureCards.network_not_supported[0],
    end: { charge: "paid", result: "not_supported", shift: false, answers: [], authorizations: approved },
  },
  {
    what: "no challenge and no 3DS Method",
    number: threeDSecureCards.frictionless_without_method[0],
    end: { charge: "paid", result: "authenticated", shift: true, answers: ["Y"], authorizations: approved },
  },
  {
    what: "attempted",
    number: threeDSecureCards.attempted[0],
    end: { charge: "paid", result: "attempted", shift: true, answers: ["A"], authorizations: approved },
  },
  {
    what: "not authenticated, with the issuer's message",
    number: threeDSecureCards.not_authenticated[0],
    end: { charge: "authentication_failed", result: "failed", shift: false, answers: ["N"], authorizations: [] },
    reads: /could not confirm that it’s you.*Please call the number on your card/s,
  },
  {
    what: "rejected",
    number: threeDSecureCards.rejected[0],
    end: { charge: "authentication_rejected", result: "rejected", shift: false, answers: ["R"], authorizations: [] },
    reads: /declined/i,
  },
  {
    what: "unavailable",
    number: threeDSecureCards.unavailable[0],
    end: { charge: "paid", result: "unavailable", shift: false, answers: ["U"], authorizations: approved },
  },
  {
    what: "informational when we request more",
    number: threeDSecureCards.informational[0],
    end: { charge: "paid", result: "authenticated", shift: true, answers: ["Y"], authorizations: approved },
  },
  {
    what: "a directory server whose ACS doesn't respond",
    number: threeDSecureCards.directory_server_timeout[0],
    end: { charge: "paid", result: "unavailable", shift: false, answers: ["Erro"], authorizations: approved },
  },
  {
    what: "an unreachable ACS",
    number: threeDSecureCards.lookup_error[0],
    end: { charge: "paid", result: "unavailable", shift: false, answers: ["Erro"], authorizations: approved },
  },
  {
    what: "a refused request",
    number: threeDSecureCards.request_refused[0],
    end: {
      charge: "authentication_unavailable",
      result: "protocol_error",
      shift: false,
      answers: ["Erro"],
      authorizations: [],
    },
    reads: /not responding|not be asked/i,
  },
  {
    what: "a challenge that fails",
    number: threeDSecureCards.challenge[0],
    does: (page) => answerChallenge(page, "222222"),
    end: failed,
    reads: /could not confirm/i,
  },
  {
    what: "a challenge that fails without a page",
    number: threeDSecureCards.challenge_fails[0],
    end: failed,
    reads: /could not confirm/i,
  },
  {
    what: "a passed challenge, then a decline",
    number: threeDSecureCards.challenge_then_declined[0],
    does: typeRightCode,
    end: { ...challenged, charge: "generic_decline", authorizations: declined },
    reads: /declined/i,
  },
  {
    what: "a passed challenge, then insufficient funds",
    number: threeDSecureCards.challenge_then_insufficient_funds[0],
    does: typeRightCode,
    end: { ...challenged, charge: "insufficient_funds", authorizations: declined },
    reads: /insufficient funds/i,
  },
  {
    what: "a cancellation on the bank's page",
    number: threeDSecureCards.challenge[0],
    does: cancelAtBank,
    end: {
      charge: "authentication_canceled",
      result: "canceled",
      shift: false,
      answers: ["C"],
      results: ["U"],
      authorizations: [],
    },
    reads: /you canceled/i,
  },
  {
    what: "a CRes with Y and an RReq with N",
    number: threeDSecureCards.challenge_answer_lies[0],
    does: typeRightCode,
    end: failed,
    reads: /could not confirm/i,
  },
  {
    what: "a CRes with Y and no RReq",
    number: threeDSecureCards.challenge_result_missing[0],
    does: typeRightCode,
    end: unproved,
    reads: /not responding|not be asked/i,
  },
  {
    what: "a challenge that couldn't be done",
    number: threeDSecureCards.challenge_unavailable[0],
    does: typeRightCode,
    end: {
      charge: "paid",
      result: "unavailable",
      shift: false,
      answers: ["C"],
      results: ["U"],
      authorizations: approved,
    },
  },
  {
    what: "a challenge that was attempted",
    number: threeDSecureCards.challenge_attempted[0],
    does: typeRightCode,
    end: { charge: "paid", result: "attempted", shift: true, answers: ["C"], results: ["A"], authorizations: approved },
  },
  {
    what: "one picture of several",
    number: threeDSecureCards.challenge_single_select[0],
    does: (page) => choose(page, "Lighthouse"),
    end: { ...challenged, charge: "paid", authorizations: approved },
  },
  {
    what: "several pictures",
    number: threeDSecureCards.challenge_multi_select[0],
    does: (page) => choose(page, "Lighthouse", "Teapot"),
    end: { ...challenged, charge: "paid", authorizations: approved },
  },
  {
    what: "version 2.2.0 only",
    number: threeDSecureCards.version_2_2_0[0],
    does: typeRightCode,
    end: { ...challenged, charge: "paid", version: "2.2.0", authorizations: approved },
  },
  {
    what: "version 2.3.1 only",
    number: threeDSecureCards.version_2_3_1[0],
    does: typeRightCode,
    end: { ...challenged, charge: "paid", version: "2.3.1", authorizations: approved },
  },
  {
    what: "a challenge that passes without a page",
    number: threeDSecureCards.challenge_passes[0],
    end: { ...challenged, charge: "paid", authorizations: approved },
  },
  {
    what: "an error instead of the CRes",
    number: threeDSecureCards.challenge_error[0],
    does: typeRightCode,
    end: unproved,
    reads: /not responding|not be asked/i,
  },
  {
    what: "three wrong codes",
    number: threeDSecureCards.challenge[0],
    does: mistypeThreeTimes,
    end: failed,
    reads: /could not confirm/i,
  },
];

for (const { what, number, does, end, reads } of rows) {
  test(`${what}: ${end.charge}`, async ({ page }) => {
    const tried = await payBy(page, number);
    await does?.(page);
    await expectEnd(tried, end);
    await expectSaid(tried, end, reads);
  });
}

for (const number of threeDSecureCards.soft_decline) {
  test(`an issuer that requires a challenge after a soft decline gets one in the same payment (${number.slice(-4)})`, async ({
    page,
  }) => {
    const tried = await payBy(page, number);
    await answerChallenge(page, "111111");
    await expect(tried.till.getByTestId("oriel-result")).toContainText("Payment complete");
    await expectEnd(tried, {
      charge: "paid",
      result: "authenticated",
      shift: true,
      answers: ["Y", "C"],
      results: [null, "Y"],
      authorizations: ["declined", "approved"],
    });
    expect(await heard(page, "decline")).toEqual([]);
  });
}

test("an issuer that requires a challenge even after one gets no third authorization", async ({ page }) => {
  const tried = await payBy(page, threeDSecureCards.soft_decline_after_challenge[0]);
  await answerChallenge(page, "111111");
  await expect(tried.till.locator("#notice")).toBeVisible();
  await expectEnd(tried, {
    charge: "authentication_required",
    result: "authenticated",
    shift: true,
    answers: ["Y", "C"],
    results: [null, "Y"],
    authorizations: ["declined", "declined"],
  });
  expect(await heard(page, "decline")).toHaveLength(1);
});

test("a card saved with a challenge can be charged later without the customer", async ({ page }) => {
  const tried = await payBy(page, threeDSecureCards.challenge_unless_set_up[0], { save_payment_method: true });
  await typeRightCode(page);
  await expectEnd(tried, { ...challenged, charge: "paid", authorizations: approved });

  const { payment_method_id } = await chargeOf(tried);
  const amount = tried.amount + 1;
  const decision = await oriel().decisions.create({ payment_method_id, amount, currency: "eur" });
  expect(decision.status).toBe("approved");
  const charge = await oriel().charges.create({ amount, currency: "eur", payment_method_id, decision_id: decision.id });
  expect(charge.status).toBe("succeeded");
  expect(await authenticationsOf(tried)).toHaveLength(1);
  expect(await authorizationsOf(amount)).toHaveLength(1);
});

test("after a decline, the customer pays with another card in the same form", async ({ page }) => {
  const tried = await payBy(page, threeDSecureCards.rejected[0]);
  await expect(tried.till.locator("#notice")).toBeVisible();
  await pay(tried.till, cardOf(threeDSecureCards.frictionless_without_method[0]));
  await expect(tried.till.getByTestId("oriel-result")).toBeVisible();
  const { payment_status } = await sessionOf(tried.sessionId);
  expect(payment_status).toBe("paid");
  const authorizations = await authorizationsOf(tried.amount);
  expect(authorizations.map(({ status }) => status)).toEqual(approved);
});

/** A paid session shows a page without a form. A decline is shown above the form, which stays usable. */
async function expectSaid({ till }: Try, { charge }: End, reads?: RegExp): Promise<void> {
  if (charge === "paid") return expect(till.getByTestId("oriel-result")).toContainText("Payment complete");
  const notice = till.locator("#notice");
  await expect(notice).toBeVisible();
  if (reads) await expect(notice).toContainText(reads);
  await expect(notice).toContainText("You have not been charged.");
  await expect(till.getByTestId("oriel-pay")).toBeEnabled();
  await expect(till.getByTestId("oriel-cvc")).toHaveValue("");
}
