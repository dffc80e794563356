/**
 * Every integration of the checkout, on a page with nothing else: a customer pays, and the service's record proves it.
 * For integrations that put the iframe into different surroundings, the customer also passes a challenge. Those whose
 * surroundings depend on the browser are in `integrations.spec.ts`.
 */
import { expect, test, type Page } from "@playwright/test";
import { completeChallenge, cards, pay, type CheckoutForm } from "./checkout.ts";
import { countFrameLoads, expectSessionPaid, payWithOneLoad, formIn } from "./hosts/host-checkout.ts";
import { pageAddress } from "./hosts/host-page.ts";
import { ways } from "./hosts/integrations.ts";
import { openSession } from "./hosts/sessions.ts";
import { addresses } from "./urls.ts";

for (const [way, pageFor] of Object.entries(ways)) {
  test(`by ${way} a customer pays, with one load of the iframe`, { tag: "@quick" }, async ({ page }) => {
    const { sessionId, embedUrl } = await openSession();
    const loads = countFrameLoads(page);
    await page.goto(await pageAddress(pageFor(embedUrl)));
    await pay(formIn(page), cards.approved);
    await expectSessionPaid(sessionId);
    expect(loads()).toBe(1);
  });
}

for (const way of ["the script tag", "the ES module"] as const) {
  test(
    `by ${way} a customer passes the bank's challenge, with one load of the iframe`,
    { tag: "@quick" },
    async ({ page }) => payWithOneLoad(page, ways[way]),
  );
}

/** A form without scripts, whose server responds with 303. */
async function goByRedirect(page: Page): Promise<CheckoutForm> {
  await page.goto(await pageAddress({ body: `<form method="post" action="/pay"><button>Pay</button></form>` }));
  await page.getByRole("button").click();
  await expect(page).toHaveURL(new RegExp(`^${addresses.checkout}/c/cs_`));
  return page;
}

async function expectPaidAndBack(page: Page): Promise<void> {
  await expect(page).toHaveURL(new RegExp(`^${addresses.hosts}/thanks\\?session_id=cs_`), { timeout: 20_000 });
  await expectSessionPaid(new URL(page.url()).searchParams.get("session_id") ?? "");
}

test("by redirect a customer pays and returns", { tag: "@quick" }, async ({ page }) => {
  await pay(await goByRedirect(page), cards.approved);
  await expectPaidAndBack(page);
});

test("by redirect a customer passes the bank's challenge and returns", { tag: "@quick" }, async ({ page }) => {
  await pay(await goByRedirect(page), cards.challenge);
  await completeChallenge(page, "111111");
  await expectPaidAndBack(page);
});
