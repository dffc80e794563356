/**
 * Pages whose scripts replace the body and keep a copy of it for Back, as Turbo and htmx do. The copy contains our
 * iframe but not its connection to the loader. Other scripts replace only what differs from the server's markup, which
 * doesn't contain our iframe.
 */
import { expect, test, type Page } from "@playwright/test";
import { cards, typeCard } from "./checkout.ts";
import { expectReceived, expectReady, received, payInEmptyForm, formIn } from "./hosts/host-checkout.ts";
import { appPage, markup, pageAddress, scriptTag } from "./hosts/host-page.ts";
import { openSession, sessionOf } from "./hosts/sessions.ts";

declare global {
  interface Window {
    bodies: { left: HTMLElement; copy: Node };
  }
}

/** Navigates to another page and keeps a copy of this one. */
async function leave(page: Page): Promise<void> {
  await page.evaluate(() => {
    const { body } = document;
    window.bodies = { left: body, copy: body.cloneNode(true) };
    const next = document.createElement("body");
    next.textContent = "Another page";
    body.replaceWith(next);
  });
}

/** Shows the copy again. */
async function comeBack(page: Page): Promise<void> {
  await page.evaluate(() => document.body.replaceWith(window.bodies.copy));
}

test("a checkout in a replaced body is destroyed, and its copy gets a new form that reports its payment", async ({
  page,
}) => {
  const { sessionId, embedUrl } = await openSession();
  const head = `${scriptTag}<script>received = []; function onPaid(detail) { received.push({ type: "complete", detail }); }</script>`;
  await page.goto(await pageAddress({ head, body: markup(embedUrl, { "on-complete": "onPaid" }) }));
  await expectReady(formIn(page));

  await leave(page);
  await expect.poll(() => page.evaluate(() => window.bodies.left.querySelectorAll("iframe").length)).toBe(0);
  await comeBack(page);
  await expect(page.locator("iframe")).toHaveCount(1);
  await payInEmptyForm(formIn(page), sessionId);
  await expectReceived(page, "complete");
});

test("a form that a script replaces with the server's markup is mounted again and reports its payment", async ({
  page,
}) => {
  const { sessionId, embedUrl } = await openSession();
  const head = `${scriptTag}<script>received = []; function onPaid(detail) { received.push({ type: "complete", detail }); }</script>`;
  await page.goto(await pageAddress({ head, body: markup(embedUrl, { "on-complete": "onPaid" }) }));
  await expectReady(formIn(page));
  await page.locator("#checkout").evaluate((element) => element.replaceChildren("Pay on our secure page"));
  await expect(page.locator("#checkout")).toHaveText("");
  await payInEmptyForm(formIn(page), sessionId);
  await expectReceived(page, "complete");
});

test("a copied iframe without a loader takes no payment and says so", async ({ page }) => {
  const { sessionId, embedUrl } = await openSession();
  await page.clock.install();
  await page.goto(await pageAddress(appPage("esm", { embedUrl })));
  await typeCard(formIn(page), cards.approved);
  await leave(page);
  await page.evaluate(() => window.checkout.destroy());
  await comeBack(page);

  const copy = formIn(page);
  await expect(copy.getByTestId("oriel-pay")).toBeDisabled();
  await page.clock.fastForward(15_000);
  await expect(copy.getByTestId("oriel-result")).toBeVisible();
  await expect(copy.getByTestId("oriel-pay")).toBeHidden();
  expect((await sessionOf(sessionId)).payment_status).toBe("unpaid");
  expect(await received(page, "complete")).toEqual([]);
});
