/**
 * What a bank can do to a browser, by the sandbox's published cards: methods that never answer, pages that never come,
 * forbid to be framed or want the whole window, answers that are lost or come twice, and banks that ask elsewhere. Each
 * ends in one charge, one event, and no message to the bank that was not due.
 */
import { expect, test } from "@playwright/test";
import { threeDSecureCards } from "@oriel/protocol/test-cards";
import { answerChallenge, bankPage } from "../checkout.ts";
import { heard } from "../hosts/host-till.ts";
import { cancelHere, decideInApp } from "./at-the-bank.ts";
import { authenticationsOf } from "./bank-books.ts";
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
  ["a method that runs", threeDSecureCards.frictionless[0], "Y"],
  ["no method", threeDSecureCards.frictionless_without_method[0], "U"],
  ["a method that never answers", threeDSecureCards.method_timeout[0], "N"],
  ["a method that forbids to be framed", threeDSecureCards.method_refuses_framing[0], "N"],
] as const;

for (const [what, number, said] of methods) {
  test(`${what} is told to the bank as ${said}, and holds nothing up`, async ({ page }) => {
    const tried = await payBy(page, number);
    await expectEnd(tried, frictionless);
    const [asked] = await authenticationsOf(tried);
    expect(asked?.threeDSCompInd).toBe(said);
    expect(page.frames().filter((frame) => frame.name().startsWith("bank-"))).toEqual([]);
    expect(await heard(page, "challengestart")).toEqual([]);
  });
}

test("a challenge that is passed, with the bank's page gone before the result is shown", async ({ page }) => {
  const tried = await payBy(page, threeDSecureCards.challenge[0]);
  await expect(tried.till.locator("iframe")).toHaveAttribute("title", "Your bank’s page");
  await answerChallenge(page, "111111");
  await expect(tried.till.getByTestId("oriel-result")).toContainText("Payment complete");
  await expect(tried.till.locator("iframe")).toHaveCount(0);
  await expectEnd(tried, passed);
  expect(await heard(page, "challengeend")).toEqual([{ outcome: "authenticated" }]);
});

test("a cancel in our frame is final, and the bank's late word changes nothing", async ({ page }) => {
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

test("a customer who does nothing is timed out by the bank", async ({ page }) => {
  test.setTimeout(120_000);
  const tried = await payBy(page, threeDSecureCards.challenge_timeout[0]);
  await bankPage(page);
  await expect(tried.till.locator("#notice")).toContainText("took too long", { timeout: 90_000 });
  await expectEnd(tried, { ...failed, charge: "authentication_timed_out", result: "timed_out", results: ["U"] });
});

test("a bank's page that never comes is said to be slow, then to be trouble, and ends by the bank's own clock", async ({
  page,
}) => {
  test.setTimeout(120_000);
  const tried = await payBy(page, threeDSecureCards.challenge_never_loads[0]);
  await expect(tried.till.getByText("is taking a while")).toBeVisible({ timeout: 20_000 });
  await expect(tried.till.getByText("Having trouble?")).toBeVisible({ timeout: 25_000 });
  await expect(tried.till.locator("#notice")).toContainText("took too long", { timeout: 60_000 });
  await expectEnd(tried, { ...failed, charge: "authentication_timed_out", result: "timed_out", results: ["U"] });
});

test("a bank's page that forbids to be framed: the customer is told what to do, and cancels", async ({ page }) => {
  const tried = await payBy(page, threeDSecureCards.challenge_refuses_framing[0]);
  await expect(tried.till.getByText("Having trouble?")).toBeVisible({ timeout: 40_000 });
  await cancelHere(tried.till);
  await expect(tried.till.locator("#notice")).toContainText("You canceled.");
  await expectEnd(tried, { ...failed, charge: "authentication_canceled", result: "canceled" });
});

test("an answer of the bank's that never reaches the browser is heard from the service", async ({ page }) => {
  const tried = await payBy(page, threeDSecureCards.challenge_answer_lost[0]);
  await answerChallenge(page, "111111");
  await expectEnd(tried, passed);
  await expect(tried.till.getByTestId("oriel-result")).toContainText("Payment complete");
});

test("an answer that comes twice pays once", async ({ page }) => {
  const tried = await payBy(page, threeDSecureCards.challenge_answered_twice[0]);
  await answerChallenge(page, "111111");
  await expectEnd(tried, passed);
  await expectOneEvent(tried, await chargeOf(tried));
});

test("a challenge that is approved in the bank's app", async ({ page }) => {
  const tried = await payBy(page, threeDSecureCards.challenge_out_of_band[0]);
  await expect((await bankPage(page)).getByText("Approve this in the Test Bank app")).toBeVisible();
  await decideInApp(tried, "Approve");
  await expectEnd(tried, passed);
  await expect(tried.till.getByTestId("oriel-result")).toContainText("Payment complete");
});

test("a challenge that is declined in the bank's app", async ({ page }) => {
  const tried = await payBy(page, threeDSecureCards.challenge_out_of_band[0]);
  await bankPage(page);
  await decideInApp(tried, "Decline");
  await expectEnd(tried, { ...failed, charge: "authentication_failed", result: "failed", results: ["N"] });
});

test("a bank that asks in its app only: we say so, with the issuer's sentence, and wait", async ({ page }) => {
  const tried = await payBy(page, threeDSecureCards.decoupled[0]);
  await expect(tried.till.getByRole("heading", { name: "Approve in your bank’s app" })).toBeFocused();
  await expect(tried.till.locator("#bank").getByText("Please approve the payment in the Test Bank app.")).toBeVisible();
  await decideInApp(tried, "Approve");
  await expect(tried.till.getByTestId("oriel-result")).toContainText("Payment complete");
  await expectEnd(tried, { ...frictionless, answers: ["D"], results: ["Y"] });
});

test("a bank that asks in its app only can be given up here", async ({ page }) => {
  const tried = await payBy(page, threeDSecureCards.decoupled[0]);
  await cancelHere(tried.till);
  await expect(tried.till.locator("#notice")).toContainText("You canceled.");
  await expectEnd(tried, { ...failed, answers: ["D"], charge: "authentication_canceled", result: "canceled" });
});

test("a bank's page that wants a cookie back works with or without it", async ({ page }) => {
  const tried = await payBy(page, threeDSecureCards.challenge_wants_cookies[0]);
  await answerChallenge(page, "111111");
  await expectEnd(tried, passed);
});

test("a bank's page that wants the whole window does not get it", async ({ page }) => {
  const tried = await payBy(page, threeDSecureCards.challenge_navigates_top[0]);
  const address = page.url();
  await expect((await bankPage(page)).getByText("This page tries to leave its iframe.")).toBeVisible();
  await answerChallenge(page, "111111");
  await expectEnd(tried, passed);
  expect(page.url()).toBe(address);
  await expect(tried.till.getByTestId("oriel-result")).toContainText("Payment complete");
});

test("a long page of the bank's can be scrolled to its code", async ({ page }) => {
  const tried = await payBy(page, threeDSecureCards.challenge_long_page[0]);
  await answerChallenge(page, "111111");
  await expectEnd(tried, passed);
});
