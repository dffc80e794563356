/**
 * The merchant's server changes a session while its form is open. The form shows the new total without losing what the
 * customer has typed. A customer who presses Pay for an earlier total pays nothing, whatever the page does or loses.
 */
import { expect, test } from "@playwright/test";
import { cards, pay, pressPay, typeCard, type CheckoutForm } from "./checkout.ts";
import { countRequests } from "./count-requests.ts";
import { expectSessionPaid, expectTyped, openHostCheckout, received } from "./hosts/host-checkout.ts";
import { openSession, oriel, sessionOf } from "./hosts/sessions.ts";

const payments = /\/frame\/payments$/;
const changedSentence = "Your order has changed. You have not been charged. Check the total before you pay.";

test("a half-typed form shows the new total, and keeps its content and the focus", async ({ page }) => {
  const { form, sessionId } = await openHostCheckout(page, {
    amount: 4900,
    line_items: [{ name: "Cup", amount: 4900, quantity: 1 }],
  });
  const loads = countRequests(page, (request) => request.url().includes("/c/cs_"));
  await typeCard(form, cards.approved);
  const cvc = form.getByLabel("CVC", { exact: true });
  await expect(cvc).toBeFocused();
  await change(sessionId, {
    line_items: [
      { name: "Cup", amount: 4900, quantity: 1 },
      { name: "Saucer", amount: 1500, quantity: 1 },
    ],
    discounts: [{ name: "SPRING", amount: 500 }],
  });
  await page.evaluate(() => window.checkout.refresh());
  await expectNewTotal(form);
  await expect(cvc).toBeFocused();
  await expectTyped(form, cards.approved);
  await form.getByText("Order details").click();
  await expect(form.locator("#order-details li")).toHaveText([
    "Cup €49.00",
    "Saucer €15.00",
    "SPRING -€5.00",
    "Total €59.00",
  ]);
  expect(loads()).toBe(0);
  await pressPay(form);
  await expectPaid(sessionId, 5900);
});

test("runServerUpdate shows the new total when the merchant's server is done", async ({ page }) => {
  const { form, sessionId } = await openHostCheckout(page);
  await page.exposeFunction("changeOnServer", () => change(sessionId, { amount: 5900 }).then(({ version }) => version));
  const version = await page.evaluate(() =>
    window.checkout.runServerUpdate(() =>
      (window as unknown as { changeOnServer(): Promise<number> }).changeOnServer(),
    ),
  );
  expect(version).toBe(2);
  await expectNewTotal(form);
});

test("a press for the earlier total pays nothing, and the next one pays the new total", async ({ page }) => {
  const { form, sessionId } = await openHostCheckout(page);
  await typeCard(form, cards.approved);
  await change(sessionId, { amount: 5900 });
  await pressPay(form);
  await expectRefused(form, sessionId);
  expect(await received(page, "decline")).toMatchObject([{ code: "try_again", message: changedSentence }]);
  await pressPay(form);
  await expectPaid(sessionId, 5900);
});

test("submit() for the earlier total returns that the session has changed", async ({ page }) => {
  const { form, sessionId } = await openHostCheckout(page, { submit_button: "merchant" });
  await typeCard(form, cards.approved);
  await change(sessionId, { amount: 5900 });
  const submit = () => page.evaluate(() => window.checkout.submit());
  expect(await submit()).toEqual({ type: "session_changed" });
  await expectNewTotal(form);
  expect(await submit()).toEqual({ type: "complete", sessionId });
  await expectPaid(sessionId, 5900);
});

test("a lost request for the earlier total pays nothing, and neither does its repetition", async ({ page }) => {
  const { form, sessionId } = await openHostCheckout(page);
  await typeCard(form, cards.approved);
  await change(sessionId, { amount: 5900 });
  await page.route(payments, (route) => route.abort(), { times: 1 });
  await pressPay(form);
  await expect(form.locator("#notice")).toContainText("You have not been charged.");
  await expectNewTotal(form);
  expect((await sessionOf(sessionId)).payment_status).toBe("unpaid");
  await pressPay(form);
  await expectPaid(sessionId, 5900);
});

test("a reloaded page shows the new total", async ({ page }) => {
  const { embedUrl, sessionId } = await openSession();
  await page.goto(embedUrl);
  await typeCard(page, cards.approved);
  await change(sessionId, { amount: 5900 });
  await page.reload();
  await expectNewTotal(page);
  await pay(page, cards.approved);
  await expectPaid(sessionId, 5900);
});

test("a second tab that shows the earlier total pays nothing", async ({ page, context }) => {
  const { embedUrl, sessionId } = await openSession();
  await page.goto(embedUrl);
  await typeCard(page, cards.approved);
  await change(sessionId, { amount: 5900 });
  const second = await context.newPage();
  await second.goto(embedUrl);
  await typeCard(second, cards.approved);
  await expectNewTotal(second);
  await page.bringToFront();
  await pressPay(page);
  await expectRefused(page, sessionId);
  await second.bringToFront();
  await pressPay(second);
  await expectPaid(sessionId, 5900);
});

// --- helpers

const change = (sessionId: string, params: Parameters<ReturnType<typeof oriel>["checkoutSessions"]["update"]>[1]) =>
  oriel().checkoutSessions.update(sessionId, params);

/** Pay shows the new total, and takes presses again. */
async function expectNewTotal(form: CheckoutForm): Promise<void> {
  const button = form.getByTestId("oriel-pay");
  await expect(button).toHaveText("Pay €59.00");
  await expect(button).not.toHaveAttribute("data-changed");
}

async function expectRefused(form: CheckoutForm, sessionId: string): Promise<void> {
  await expect(form.locator("#notice")).toHaveText(changedSentence);
  await expectNewTotal(form);
  expect(await sessionOf(sessionId)).toMatchObject({ status: "open", payment_status: "unpaid", attempts_left: 5 });
}

async function expectPaid(sessionId: string, amount: number): Promise<void> {
  await expectSessionPaid(sessionId);
  const { data } = await oriel().charges.list({ session_id: sessionId });
  expect(data.map((charge) => [charge.status, charge.amount])).toEqual([["succeeded", amount]]);
}
