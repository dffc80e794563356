/**
 * Bank behavior that the browser has to handle, with the sandbox's published cards: 3DS Methods that never return;
 * pages that don't load, that refuse framing or that try to take over the window; lost or duplicate results; and
 * out-of-band challenges. Each ends in one charge, one event, and only the expected messages to the bank.
 */
import { expect, test } from "@playwright/test";
import { threeDSecureCards } from "@oriel/protocol/test-cards";
import { answerChallenge, bankPage } from "../checkout.ts";
import { heard } from "../hosts/host-checkout.ts";
import { cancelHere, decideInApp } from "./at-the-bank.ts";
import { authenticationsOf } from "./bank-records.ts";
import { answerBehindTheScenes } from "./forge.ts";
import { chargeOf, expectEnd, expectOneEvent, payBy } from "./try-to-pay.ts";

const approved = ["approved"] as const;
const frictionless = {
  charge: "paid",
  result: "authenticated",
  shift: true,
  answers: ["Y"],
  authorizations: approved,
} as const;
const passed = { ...frictionless, answers: ["C"], results: ["Y"] } as const;
const failed = { shift: false, answers: ["C"], authorizations: [] } as const;

const methods = [
  ["a 3DS Method that runs", threeDSecureCards.frictionless[0], "Y"],
  ["no 3DS Method", threeDSecureCards.frictionless_without_method[0], "U"],
  ["a 3DS Method that never returns", threeDSecureCards.method_timeout[0], "N"],
  ["a 3DS Method that refuses framing", threeDSecureCards.method_refuses_framing[0], "N"],
] as const;

for (const [what, number, said] of methods) {
  test(`${what} is reported to the bank as ${said} and delays nothing`, async ({ page }) => {
    const tried = await payBy(page, number);
    await expectEnd(tried, frictionless);
    const [asked] = await authenticationsOf(tried);
    expect(asked?.threeDSCompInd).toBe(said);
    expect(page.frames().filter((frame) => frame.name().startsWith("bank-"))).toEqual([]);
    expect(await heard(page, "challengestart")).toEqual([]);
  });
}

test("a passed challenge removes the bank's page before the result is shown", async ({ page }) => {
  const tried = await payBy(page, threeDSecureCards.challenge[0]);
  await expect(tried.till.locator("iframe")).toHaveAttribute("title", "Your bank’s page");
  await answerChallenge(page, "111111");
  await expect(tried.till.getByTestId("oriel-result")).toContainText("Payment complete");
  await expect(tried.till.locator("iframe")).toHaveCount(0);
  await expectEnd(tried, passed);
  expect(await heard(page, "challengeend")).toEqual([{ outcome: "authenticated" }]);
});

test("a cancellation in our iframe is final, and the bank's late result changes nothing", async ({ page }) => {
  const tried = await payBy(page, threeDSecureCards.challenge[0]);
  await bankPage(page);
  await cancelHere(tried.till);
  await expect(tried.till.locator("#notice")).toContainText("You canceled.");
  const canceled = { ...failed, charge: "authentication_canceled", result: "canceled" } as const;
  await expectEnd(tried, { ...canceled, results: [null] });

  const [asked] = await authenticationsOf(tried);
  await answerBehindTheScenes(asked?.acsTransID ?? "", "111111");
  await expect.poll(async () => (await authenticationsOf(tried))[0]?.result?.delivered).toBe(true);
  await expectEnd(tried, { ...canceled, results: ["Y"] });
});

test("a customer who does nothing times out at the bank", async ({ page }) => {
  test.setTimeout(120_000);
  const tried = await payBy(page, threeDSecureCards.challenge_timeout[0]);
  await bankPage(page);
  await expect(tried.till.locator("#notice")).toContainText("took too long", { timeout: 90_000 });
  await expectEnd(tried, { ...failed, charge: "authentication_timed_out", result: "timed_out", results: ["U"] });
});

test("a bank's page that never loads is shown as slow, then as a problem, and ends with the bank's timeout", async ({
  page,
}) => {
  test.setTimeout(120_000);
  const tried = await payBy(page, threeDSecureCards.challenge_never_loads[0]);
  await expect(tried.till.getByText("is taking a while")).toBeVisible({ timeout: 20_000 });
  await expect(tried.till.getByText("Having trouble?")).toBeVisible({ timeout: 25_000 });
  await expect(tried.till.locator("#notice")).toContainText("took too long", { timeout: 60_000 });
  await expectEnd(tried, { ...failed, charge: "authentication_timed_out", result: "timed_out", results: ["U"] });
});

test("if a bank's page refuses framing, the customer is told what to do and cancels", async ({ page }) => {
  const tried = await payBy(page, threeDSecureCards.challenge_refuses_framing[0]);
  await expect(tried.till.getByText("Having trouble?")).toBeVisible({ timeout: 40_000 });
  await cancelHere(tried.till);
  await expect(tried.till.locator("#notice")).toContainText("You canceled.");
  await expectEnd(tried, { ...failed, charge: "authentication_canceled", result: "canceled" });
});

test("if the CRes never reaches the browser, the service's result is used", async ({ page }) => {
  const tried = await payBy(page, threeDSecureCards.challenge_answer_lost[0]);
  await answerChallenge(page, "111111");
  await expectEnd(tried, passed);
  await expect(tried.till.getByTestId("oriel-result")).toContainText("Payment complete");
});

test("a duplicate CRes pays once", async ({ page }) => {
  const tried = await payBy(page, threeDSecureCards.challenge_answered_twice[0]);
  await answerChallenge(page, "111111");
  await expectEnd(tried, passed);
  await expectOneEvent(tried, await chargeOf(tried));
});

test("a challenge can be approved in the bank's app", async ({ page }) => {
  const tried = await payBy(page, threeDSecureCards.challenge_out_of_band[0]);
  await expect((await bankPage(page)).getByText("Approve this request in the Test Bank app")).toBeVisible();
  await decideInApp(tried, "Approve");
  await expectEnd(tried, passed);
  await expect(tried.till.getByTestId("oriel-result")).toContainText("Payment complete");
});

test("a challenge can be declined in the bank's app", async ({ page }) => {
  const tried = await payBy(page, threeDSecureCards.challenge_out_of_band[0]);
  await bankPage(page);
  await decideInApp(tried, "Decline");
  await expectEnd(tried, { ...failed, charge: "authentication_failed", result: "failed", results: ["N"] });
});

test("decoupled authentication shows the issuer's message and waits", async ({ page }) => {
  const tried = await payBy(page, threeDSecureCards.decoupled[0]);
  await expect(tried.till.getByRole("heading", { name: "Approve in your bank’s app" })).toBeFocused();
  await expect(tried.till.locator("#bank").getByText("Please approve the payment in the Test Bank app.")).toBeVisible();
  await decideInApp(tried, "Approve");
  await expect(tried.till.getByTestId("oriel-result")).toContainText("Payment complete");
  await expectEnd(tried, { ...frictionless, answers: ["D"], results: ["Y"] });
});

test("decoupled authentication can be canceled in the form", async ({ page }) => {
  const tried = await payBy(page, threeDSecureCards.decoupled[0]);
  await cancelHere(tried.till);
  await expect(tried.till.locator("#notice")).toContainText("You canceled.");
  await expectEnd(tried, { ...failed, answers: ["D"], charge: "authentication_canceled", result: "canceled" });
});

test("a bank's page that sets a cookie works whether or not the cookie is accepted", async ({ page }) => {
  const tried = await payBy(page, threeDSecureCards.challenge_wants_cookies[0]);
  await answerChallenge(page, "111111");
  await expectEnd(tried, passed);
});

test("a bank's page can't take over the whole window", async ({ page }) => {
  const tried = await payBy(page, threeDSecureCards.challenge_navigates_top[0]);
  const address = page.url();
  await expect((await bankPage(page)).getByText("This page tries to leave its iframe.")).toBeVisible();
  await answerChallenge(page, "111111");
  await expectEnd(tried, passed);
  expect(page.url()).toBe(address);
  await expect(tried.till.getByTestId("oriel-result")).toContainText("Payment complete");
});

test("the customer can scroll a long bank page to its code field", async ({ page }) => {
  const tried = await payBy(page, threeDSecureCards.challenge_long_page[0]);
  await answerChallenge(page, "111111");
  await expectEnd(tried, passed);
});
