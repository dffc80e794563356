/**
 * What the customer chooses in the form: a shipping option, which the service changes, and a promotion code, which the
 * merchant's server accepts or rejects. And an order that costs nothing, for which there's no card.
 */
import { expect, test, type Page } from "@playwright/test";
import { cards, clickInFrame, pressPay, typeCard, type CheckoutForm } from "./checkout.ts";
import { forwardAndAbort } from "./deliver-request.ts";
import { expectSessionPaid, expectTyped, openHostCheckout, received } from "./hosts/host-checkout.ts";
import { openSession, oriel, sessionOf } from "./hosts/sessions.ts";

const order = {
  amount: 5390,
  line_items: [{ name: "Cup", amount: 4900, quantity: 1 }],
  shipping_options: [
    { id: "post", name: "Post", amount: 490 },
    { id: "courier", name: "Courier", amount: 1490 },
  ],
  collect: { promotion_code: true },
};

test("a chosen shipping option changes the total, and nothing that was typed", async ({ page }) => {
  const { form, sessionId } = await openHostCheckout(page, order);
  await typeCard(form, cards.approved);
  await form.getByLabel("Shipping").selectOption("courier");
  await expectTotal(form, "Pay €63.90");
  await expectTyped(form, cards.approved);
  await pressPay(form);
  await expectSessionPaid(sessionId);
  expect(await sessionOf(sessionId)).toMatchObject({ amount: 6390, shipping_option: "courier", version: 2 });
  await expect(form.getByLabel("Shipping")).toBeHidden();
});

test("a code that the shop accepts takes effect, and the page never sees it", async ({ page }) => {
  const { form, sessionId } = await openHostCheckout(page, order);
  await page.exposeFunction("decide", async () => {
    const { collected } = await sessionOf(sessionId);
    await oriel().checkoutSessions.update(sessionId, {
      discounts: [{ name: "Voucher", amount: 500 }],
      if_promotion_code: collected.promotion_code ?? "",
    });
  });
  await page.evaluate(() => {
    const { decide } = window as unknown as { decide(): Promise<void> };
    window.checkout.on("updaterequest", () => void window.checkout.runServerUpdate(decide));
  });
  await typeCard(form, cards.approved);
  await enterCode(form, " SPRING ");
  await expect(form.getByText("Code applied.")).toBeVisible();
  await expectTotal(form, "Pay €48.90");
  await expectTyped(form, cards.approved);
  expect(await received(page, "updaterequest")).toEqual([{ kind: "promotion_code" }]);
  expect(await page.evaluate(() => JSON.stringify(window.received))).not.toContain("SPRING");
  await pressPay(form);
  await expectSessionPaid(sessionId);
});

test("a code that the shop rejects stays in the field, and the form says why", async ({ page }) => {
  const { form, sessionId } = await openHostCheckout(page, order);
  await enterCode(form, "WINTER");
  await expect(form.getByTestId("oriel-pay")).toBeDisabled();
  await decideOnce(sessionId, "WINTER", { reject: { field: "promotion_code", reason: "expired" } });
  await expect(form.getByText("This code has expired.")).toBeVisible();
  await expect(form.getByLabel("Promotion code")).toHaveValue("WINTER");
  await expectTotal(form, "Pay €53.90");
});

test("if the shop doesn't reply to a code, Pay is held for ten seconds and nothing is charged", async ({ page }) => {
  await page.clock.install();
  const { form, sessionId } = await openHostCheckout(page, order);
  await typeCard(form, cards.approved);
  await enterCode(form, "WINTER");
  await expect(form.getByTestId("oriel-pay")).toBeDisabled();
  await page.clock.fastForward("00:10");
  await expect(form.getByText("We couldn’t check this code. Try again.")).toBeVisible();
  await expect(form.getByLabel("Promotion code")).toHaveValue("WINTER");
  await expectTotal(form, "Pay €53.90");
  await expectTyped(form, cards.approved);
  expect(await sessionOf(sessionId)).toMatchObject({ status: "open", payment_status: "unpaid", version: 1 });
  await pressPay(form);
  await expectSessionPaid(sessionId);
});

test("on the full page, Enter in the code's field asks the shop and doesn't pay", async ({ page }) => {
  const { embedUrl, sessionId } = await openSession(order);
  await page.goto(embedUrl);
  await typeCard(page, cards.approved);
  await page.getByLabel("Promotion code").fill("SPRING");
  await page.getByLabel("Promotion code").press("Enter");
  await decideOnce(sessionId, "SPRING", { discounts: [{ name: "Spring", amount: 5390 }] });
  await expect(page.getByText("Code applied.")).toBeVisible();
  await expectTotal(page, "Place order");
  await expect(page.getByLabel("Card number")).toBeHidden();
  expect((await sessionOf(sessionId)).status).toBe("open");
  await pressPay(page);
  await expectPlaced(page, sessionId);
});

test("an order that costs nothing is placed without a card, also if it cost something before", async ({ page }) => {
  const { form, sessionId } = await openHostCheckout(page, { amount: 0 });
  await expect(form.getByLabel("Card number")).toBeHidden();
  await oriel().checkoutSessions.update(sessionId, { amount: 4900 });
  await page.evaluate(() => window.checkout.refresh());
  await typeCard(form, cards.approved);
  await oriel().checkoutSessions.update(sessionId, { amount: 0 });
  await pressPay(form);
  await expect(form.locator("#notice")).toContainText("Your order has changed.");
  await expectTotal(form, "Place order");
  await pressPay(form);
  await expectPlaced(form, sessionId);
  expect(await received(page, "complete")).toMatchObject([{ sessionId, status: "complete" }]);
});

test("an order that costs nothing is placed with one press, in the shop's page", async ({ page }) => {
  const { form, sessionId } = await openHostCheckout(page, { amount: 0 });
  const { pathname } = new URL(page.url());
  await clickInFrame(form.getByTestId("oriel-pay"));
  await expectPlaced(form, sessionId);
  expect(new URL(page.url()).pathname).toBe(pathname);
});

for (const labels of ["above", "floating", "hidden"] as const)
  test(`the choices are one below the other on a wide page, with labels ${labels}`, async ({ page }) => {
    await page.setViewportSize({ width: 1280, height: 900 });
    const { embedUrl } = await openSession({ ...order, appearance: { labels } });
    await page.goto(embedUrl);
    const code = page.getByLabel("Promotion code");
    const parts = [
      page.getByText("Shipping", { exact: true }),
      page.getByLabel("Shipping"),
      page.getByText("Promotion code"),
      code,
    ];
    await code.click(); // nothing covers it
    const boxes = await Promise.all(parts.map((part) => part.boundingBox()));
    const [x] = boxes.map((box) => box?.x);
    expect(boxes.map((box) => box?.x)).toEqual([x, x, x, x]);
    const edges = boxes.flatMap((box) => [box?.y ?? 0, (box?.y ?? 0) + (box?.height ?? 0)]);
    expect(edges).toEqual(edges.toSorted((a, b) => a - b));
  });

test("an order placed in another tab, or whose response was lost, is shown as placed", async ({ page, context }) => {
  const { embedUrl, sessionId } = await openSession({ amount: 0 });
  await page.goto(embedUrl);
  const other = await context.newPage();
  await other.goto(embedUrl);
  await expectTotal(other, "Place order");
  await page.bringToFront();
  await page.route("**/frame/sessions/*/complete", forwardAndAbort);
  await pressPay(page);
  await expectPlaced(page, sessionId);
  await other.bringToFront();
  await pressPay(other);
  await expectPlaced(other, sessionId);
});

// --- helpers

async function enterCode(form: CheckoutForm, code: string): Promise<void> {
  await form.getByLabel("Promotion code").fill(code);
  await clickInFrame(form.getByRole("button", { name: "Apply" }));
}

/** Replies as the merchant's server does when it receives the webhook. */
async function decideOnce(
  sessionId: string,
  code: string,
  reply: Parameters<ReturnType<typeof oriel>["checkoutSessions"]["update"]>[1],
) {
  await expect.poll(async () => (await sessionOf(sessionId)).update_request?.status).toBe("pending");
  await oriel().checkoutSessions.update(sessionId, { ...reply, if_promotion_code: code });
}

/** The button has this label, and takes presses. */
async function expectTotal(form: CheckoutForm, label: string): Promise<void> {
  const button = form.getByTestId("oriel-pay");
  await expect(button).toHaveText(label);
  await expect(button).toBeEnabled();
  await expect(button).not.toHaveAttribute("data-changed");
}

async function expectPlaced(form: CheckoutForm | Page, sessionId: string): Promise<void> {
  await expect(form.getByTestId("oriel-result")).toContainText("Order placed");
  expect(await sessionOf(sessionId)).toMatchObject({ status: "complete", payment_status: "no_payment_required" });
  expect((await oriel().charges.list({ session_id: sessionId })).data).toEqual([]);
}
