/**
 * Bank behavior that a page has to handle, with the sandbox's published cards: 3DS Methods that never return; pages
 * that don't load or that try to take over the window; lost or duplicate results; and out-of-band challenges. Each ends
 * in one charge, one event, and only the expected messages to the bank. Outcomes that depend only on the service are in
 * `packages/server/test/three-d-secure-scenarios.test.ts`.
 */
import { expect, test } from "@playwright/test";
import { threeDSecureCards } from "@oriel/protocol/test-cards";
import { completeChallenge, bankPage } from "../checkout.ts";
import { received } from "../hosts/host-checkout.ts";
import { cancelHere, choose, decideInApp } from "./at-the-bank.ts";
import { authenticationsOf } from "./bank-records.ts";
import { submitCodeDirectly } from "./forge.ts";
import {
  canceledChallenge,
  chargeOf,
  expectEnd,
  expectOneEvent,
  failedChallenge,
  passedChallenge,
  passedWithoutChallenge,
  payBy,
} from "./try-to-pay.ts";

const methods = [
  ["a 3DS Method that runs", threeDSecureCards.frictionless[0], "Y"],
  ["no 3DS Method", threeDSecureCards.frictionless_without_method[0], "U"],
  ["a 3DS Method that never returns", threeDSecureCards.method_timeout[0], "N"],
] as const;

for (const [what, number, said] of methods) {
  test(`${what} is reported to the bank as ${said} and delays nothing`, async ({ page }) => {
    const tried = await payBy(page, number);
    await expectEnd(tried, passedWithoutChallenge);
    const [authentication] = await authenticationsOf(tried);
    expect(authentication?.threeDSCompInd).toBe(said);
    expect(page.frames().filter((frame) => frame.name().startsWith("bank-"))).toEqual([]);
    expect(await received(page, "challengestart")).toEqual([]);
  });
}

test("a refusal shows the issuer's message above the form, which can be used again", async ({ page }) => {
  const tried = await payBy(page, threeDSecureCards.not_authenticated[0]);
  const { form } = tried;
  const notice = form.locator("#notice");
  await expect(notice).toContainText(/could not confirm that it’s you.*Please call the number on your card/s);
  await expect(notice).toContainText("You have not been charged.");
  await expect(form.getByTestId("oriel-pay")).toBeEnabled();
  await expect(form.getByTestId("oriel-cvc")).toHaveValue("");
  await expectEnd(tried, { ...failedChallenge, aresStatuses: ["N"], results: [null] });
});

test("a challenge can be passed by choosing several pictures", async ({ page }) => {
  const tried = await payBy(page, threeDSecureCards.challenge_multi_select[0]);
  await choose(page, "Lighthouse", "Teapot");
  await expect(tried.form.getByTestId("oriel-result")).toContainText("Payment complete");
  await expectEnd(tried, passedChallenge);
});

test("an issuer that requires a challenge after a soft decline gets one in the same payment", async ({ page }) => {
  const tried = await payBy(page, threeDSecureCards.soft_decline[0]);
  await completeChallenge(page, "111111");
  await expect(tried.form.getByTestId("oriel-result")).toContainText("Payment complete");
  await expectEnd(tried, {
    ...passedChallenge,
    aresStatuses: ["Y", "C"],
    results: [null, "Y"],
    authorizations: ["declined", "approved"],
  });
  expect(await received(page, "decline")).toEqual([]);
});

test("a passed challenge removes the bank's page before the result is shown", async ({ page }) => {
  const tried = await payBy(page, threeDSecureCards.challenge[0]);
  await expect(tried.form.locator("iframe")).toHaveAttribute("title", "Your bank’s page");
  await completeChallenge(page, "111111");
  await expect(tried.form.getByTestId("oriel-result")).toContainText("Payment complete");
  await expect(tried.form.locator("iframe")).toHaveCount(0);
  await expectEnd(tried, passedChallenge);
  expect(await received(page, "challengeend")).toEqual([{ outcome: "authenticated" }]);
});

test("a cancellation in our iframe is final, and the bank's late result changes nothing", async ({ page }) => {
  const tried = await payBy(page, threeDSecureCards.challenge[0]);
  await bankPage(page);
  await cancelHere(tried.form);
  await expect(tried.form.locator("#notice")).toContainText("You canceled.");
  await expectEnd(tried, canceledChallenge);

  const [authentication] = await authenticationsOf(tried);
  await submitCodeDirectly(authentication?.acsTransID ?? "", "111111");
  await expect.poll(async () => (await authenticationsOf(tried))[0]?.result?.delivered).toBe(true);
  await expectEnd(tried, { ...canceledChallenge, results: ["Y"] });
});

test("a customer who does nothing times out at the bank", async ({ page }) => {
  const tried = await payBy(page, threeDSecureCards.challenge_timeout[0]);
  await bankPage(page);
  await expect(tried.form.locator("#notice")).toContainText("took too long");
  await expectEnd(tried, {
    ...failedChallenge,
    charge: "authentication_timed_out",
    result: "timed_out",
    results: ["U"],
  });
});

test("a bank's page that never loads is shown as slow, then as a problem, and the customer cancels", async ({
  page,
}) => {
  await page.clock.install();
  const tried = await payBy(page, threeDSecureCards.challenge_never_loads[0]);
  await expect(tried.form.locator("iframe")).toHaveAttribute("title", "Your bank’s page");
  await page.clock.fastForward(10_000);
  await expect(tried.form.getByText("is taking a while")).toBeVisible();
  await page.clock.fastForward(15_000);
  await expect(tried.form.getByText("Having trouble?")).toBeVisible();
  await cancelHere(tried.form);
  await expect(tried.form.locator("#notice")).toContainText("You canceled.");
  await expectEnd(tried, canceledChallenge);
});

test("if the CRes never reaches the browser, the service's result is used", async ({ page }) => {
  const tried = await payBy(page, threeDSecureCards.challenge_answer_lost[0]);
  await completeChallenge(page, "111111");
  await expectEnd(tried, passedChallenge);
  await expect(tried.form.getByTestId("oriel-result")).toContainText("Payment complete");
});

test("a duplicate CRes pays once", async ({ page }) => {
  const tried = await payBy(page, threeDSecureCards.challenge_answered_twice[0]);
  await completeChallenge(page, "111111");
  await expectEnd(tried, passedChallenge);
  await expectOneEvent(tried, await chargeOf(tried));
});

test("a challenge can be approved in the bank's app", async ({ page }) => {
  const tried = await payBy(page, threeDSecureCards.challenge_out_of_band[0]);
  await expect((await bankPage(page)).getByText("Approve this request in the Test Bank app")).toBeVisible();
  await decideInApp(tried, "Approve");
  await expectEnd(tried, passedChallenge);
  await expect(tried.form.getByTestId("oriel-result")).toContainText("Payment complete");
});

test("a challenge can be declined in the bank's app", async ({ page }) => {
  const tried = await payBy(page, threeDSecureCards.challenge_out_of_band[0]);
  await bankPage(page);
  await decideInApp(tried, "Decline");
  await expectEnd(tried, failedChallenge);
});

test("decoupled authentication shows the issuer's message and waits", async ({ page }) => {
  const tried = await payBy(page, threeDSecureCards.decoupled[0]);
  await expect(tried.form.getByRole("heading", { name: "Approve in your bank’s app" })).toBeFocused();
  await expect(tried.form.locator("#bank").getByText("Please approve the payment in the Test Bank app.")).toBeVisible();
  await decideInApp(tried, "Approve");
  await expect(tried.form.getByTestId("oriel-result")).toContainText("Payment complete");
  await expectEnd(tried, { ...passedWithoutChallenge, aresStatuses: ["D"], results: ["Y"] });
});

test("decoupled authentication can be canceled in the form", async ({ page }) => {
  const tried = await payBy(page, threeDSecureCards.decoupled[0]);
  await cancelHere(tried.form);
  await expect(tried.form.locator("#notice")).toContainText("You canceled.");
  await expectEnd(tried, { ...canceledChallenge, aresStatuses: ["D"] });
});

test("a bank's page can't take over the whole window", async ({ page }) => {
  const tried = await payBy(page, threeDSecureCards.challenge_navigates_top[0]);
  const address = page.url();
  await expect((await bankPage(page)).getByText("This page tries to leave its iframe.")).toBeVisible();
  await completeChallenge(page, "111111");
  await expectEnd(tried, passedChallenge);
  expect(page.url()).toBe(address);
  await expect(tried.form.getByTestId("oriel-result")).toContainText("Payment complete");
});

test("the customer can scroll a long bank page to its code field", async ({ page }) => {
  const tried = await payBy(page, threeDSecureCards.challenge_long_page[0]);
  await completeChallenge(page, "111111");
  await expectEnd(tried, passedChallenge);
});
