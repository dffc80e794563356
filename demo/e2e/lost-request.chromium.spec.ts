/**
 * A payment request never reaches the service, or it does, but the page doesn't get the response, or it arrives after
 * the page gave up. The page checks with the service, and the customer and the host page get the same message. The
 * customer is never charged twice, and never charged after the page has said that they weren't.
 */
import { expect, test, type Page, type Request, type Route } from "@playwright/test";
import { cards, pay, pressPay, type CheckoutForm, typeCard } from "./checkout.ts";
import { countRequests } from "./count-requests.ts";
import { deliver, forwardAndAbort } from "./deliver-request.ts";
import { expectReceived, expectSessionPaid, openHostCheckout, received } from "./hosts/host-checkout.ts";
import { openSession, sessionOf } from "./hosts/sessions.ts";

const payments = /\/frame\/payments$/;
const opens = /\/frame\/sessions\/\w+\/open$/;
const isPayment = (request: Request) => request.method() === "POST" && payments.test(request.url());
const lostSentence = "The connection was lost. You have not been charged. You can try again.";

test("a request that never arrives is reported to both the customer and the host page, and the next press pays", async ({
  page,
}) => {
  const { form, sessionId } = await openHostCheckout(page);
  await page.route(payments, (route) => route.abort(), { times: 1 });
  await pay(form, cards.approved);
  await expect(form.locator("#notice")).toHaveText(lostSentence);
  await expectReceived(page, "decline");
  expect(await received(page, "decline")).toMatchObject([
    { code: "try_again", message: lostSentence, retryable: true, attempt: 1, attemptsLeft: 5 },
  ]);
  expect(await stateOf(page)).toBe("ready");

  await pressPay(form);
  await expectSessionPaid(sessionId);
  await expectReceived(page, "complete");
  expect(await received(page, "error")).toEqual([]);
});

test("submit() reports a request that never arrives as retryable, not as an unknown outcome", async ({ page }) => {
  const { form, sessionId } = await openHostCheckout(page, { submit_button: "merchant" });
  await page.route(payments, (route) => route.abort(), { times: 1 });
  await typeCard(form, cards.approved);
  const submit = () => page.evaluate(() => window.checkout.submit());
  expect(await submit()).toEqual({ type: "decline", code: "try_again", message: lostSentence, retryable: true });
  await expect(form.locator("#notice")).toHaveText(lostSentence);
  expect(await submit()).toEqual({ type: "complete", sessionId });
});

test("a refusal before any payment is also reported to the host page", async ({ page }) => {
  const { form } = await openHostCheckout(page);
  await pay(form, { ...cards.approved, number: "4000056655665556" });
  await expect(form.locator("#notice")).toContainText("Use one of the test cards.");
  await expectReceived(page, "decline");
  expect(await stateOf(page)).toBe("ready");
});

test("the page shows the actual outcome of a request whose response is lost", async ({ page }) => {
  const { form, sessionId } = await openHostCheckout(page);
  const sent = countRequests(page, isPayment);
  await page.route(payments, forwardAndAbort, { times: 1 });
  await pay(form, cards.approved);
  await expectReceived(page, "complete");
  await expectSessionPaid(sessionId);
  expect(sent()).toBe(1);
  expect(await received(page, "decline")).toEqual([]);
});

test("the page shows the decline of a request whose response is lost", async ({ page }) => {
  const { form } = await openHostCheckout(page);
  await page.route(payments, forwardAndAbort, { times: 1 });
  await pay(form, cards.insufficientFunds);
  await expectReceived(page, "decline");
  expect(await received(page, "decline")).toMatchObject([{ code: "insufficient_funds", attempt: 1, attemptsLeft: 4 }]);
  await expect(form.locator("#notice")).toContainText("insufficient funds");
});

test("a request that arrives after the page gave up causes no payment", async ({ page }) => {
  const { form, sessionId } = await openHostCheckout(page);
  let held: Request | null = null;
  await page.route(
    payments,
    (route) => {
      held = route.request();
      return route.abort();
    },
    { times: 1 },
  );
  await pay(form, cards.approved);
  await expect(form.locator("#notice")).toHaveText(lostSentence);
  expect(await deliver(held)).toMatchObject({ status: 400, body: { error: { code: "card_message_stale" } } });
  expect(await sessionOf(sessionId)).toMatchObject({ payment_status: "unpaid", attempts_left: 5 });

  await pressPay(form);
  await expectSessionPaid(sessionId);
});

test("a payment that couldn't be looked up is looked up once the network is back", async ({ page }) => {
  await page.clock.install();
  const { form, sessionId } = await openHostCheckout(page);
  await page.route(payments, forwardAndAbort, { times: 1 });
  await page.route(opens, (route) => route.abort());
  const sent = page.waitForRequest(payments);
  await pay(form, cards.approved);
  await sent; // the press may be held first, which mustn't end by the clock
  // The page asks nine times before it gives up, and waits for up to 8 seconds in between.
  await expect(async () => {
    await page.clock.fastForward(8_000);
    await expect(form.getByRole("heading", { name: "We do not know yet" })).toBeVisible({ timeout: 100 });
  }).toPass({ intervals: [0] });
  await expectReceived(page, "error");
  await page.unroute(opens);
  await form.locator("html").evaluate(() => window.dispatchEvent(new Event("online")));
  await expectReceived(page, "complete");
  await expectSessionPaid(sessionId);
});

for (const [what, arrive, expectEnd] of [
  ["never arrived", (route: Route) => route.abort(), expectLost],
  ["arrived", forwardAndAbort, ({ sessionId }: { sessionId: string }) => expectSessionPaid(sessionId)],
] as const) {
  test(`a reload after a request that ${what}, while the service is unreachable, doesn't say that nothing was sent`, async ({
    page,
  }) => {
    const { embedUrl, sessionId } = await openSession();
    await page.goto(embedUrl);
    const form: CheckoutForm = page;
    await page.route(payments, arrive, { times: 1 });
    await page.route(opens, (route) => route.abort());
    await pay(form, cards.approved);
    await expect(form.locator("#notice")).toContainText("Do not pay again yet.");
    await page.reload();
    await expect(form.getByRole("heading", { name: "We do not know yet" })).toBeVisible();
    await expect(form.locator("main")).not.toContainText("Nothing was sent");
    expect(await page.evaluate(() => JSON.stringify(history.state))).not.toContain(cards.approved.number.slice(0, 6));
    await page.unroute(opens);
    await page.evaluate(() => window.dispatchEvent(new Event("online")));
    await expectEnd({ form, sessionId });
  });
}

// --- helpers

const stateOf = (page: Page) => page.evaluate(() => window.checkout.state);

async function expectLost({ form, sessionId }: { form: CheckoutForm; sessionId: string }): Promise<void> {
  await expect(form.locator("#notice")).toHaveText(lostSentence);
  await pay(form, cards.approved);
  await expectSessionPaid(sessionId);
}
