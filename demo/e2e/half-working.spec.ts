/**
 * Iframes that work only partly, because a sandbox lacks a permission or a style sheet hides them. The page gets a
 * specific error code for each case, and the page doesn't ask the customer to check their connection.
 */
import { expect, test } from "@playwright/test";
import { cards, pay } from "./checkout.ts";
import { expectSessionPaid, received, formIn } from "./hosts/host-checkout.ts";
import { servePage } from "./hosts/host-page.ts";
import { openSession } from "./hosts/sessions.ts";
import { expectError, fallbackLink, openFailing, payByLink, within } from "./load-errors/failing-page.ts";
import { addresses } from "./urls.ts";

const minimum = "allow-scripts allow-same-origin allow-forms";

test.describe("a sandbox", () => {
  test("without allow-forms is reported as sandboxed if the page's own CSP sets it", async ({ page }) => {
    const { embedUrl } = await openSession();
    await openFailing(page, { embedUrl }, { "content-security-policy": "sandbox allow-scripts allow-same-origin" });
    await expectError(page, "sandboxed", within.others);
    await expect(fallbackLink(page)).toHaveAttribute("href", embedUrl);
  });

  test("without allow-forms shows a notice in an iframe that the page created", async ({ page }) => {
    const { embedUrl } = await openSession();
    await page.goto(await framePage(embedUrl, "allow-scripts allow-same-origin"));
    await expect(
      page.frameLocator("iframe").getByRole("heading", { name: "This form can’t be used here" }),
    ).toBeVisible();
    await expect(page.frameLocator("iframe").getByTestId("oriel-pay")).toBeHidden();
  });

  test("with only allow-scripts shows the notice and no connection error", async ({ page }) => {
    const { embedUrl } = await openSession();
    await page.goto(await framePage(embedUrl, "allow-scripts"));
    await expect(
      page.frameLocator("iframe").getByRole("heading", { name: "This form can’t be used here" }),
    ).toBeVisible();
    await expect(page.frameLocator("iframe").locator("body")).not.toContainText("connection");
  });

  test("with only allow-scripts is reported as sandboxed if the page's own CSP sets it", async ({ page }) => {
    const { embedUrl } = await openSession();
    await openFailing(page, { embedUrl }, { "content-security-policy": "sandbox allow-scripts" });
    await expectError(page, "sandboxed", within.others);
  });

  test("with the minimum permissions takes a payment", async ({ page }) => {
    const { embedUrl, sessionId } = await openSession();
    await page.goto(await framePage(embedUrl, minimum));
    await pay(formIn(page), cards.approved);
    await expectSessionPaid(sessionId);
  });
});

test.describe("a style sheet of the page that hides the iframe", () => {
  for (const rule of ["display: none", "visibility: hidden", "opacity: 0"]) {
    test(`with ${rule} is reported as frame_hidden, and the customer can still pay`, async ({ page }) => {
      const session = await openSession();
      await openFailing(page, { embedUrl: session.embedUrl }, {}, style(`iframe { ${rule} !important }`));
      await expectError(page, "frame_hidden", within.others);
      await payByLink(page, session);
    });
  }

  test("isn't reported if it hides the container, which may be shown later", async ({ page }) => {
    const { embedUrl, sessionId } = await openSession();
    await page.clock.install();
    await openFailing(page, { embedUrl }, {}, style("#app { display: none }"));
    await expect.poll(() => received(page, "ready")).toHaveLength(1);
    await page.clock.fastForward(3_000);
    expect(await received(page, "error")).toEqual([]);
    await page.locator("#app").evaluate((app: HTMLElement) => app.style.setProperty("display", "block"));
    await pay(formIn(page), cards.approved);
    await expectSessionPaid(sessionId);
  });
});

// --- helpers

/** A page with the checkout in an iframe that it created itself. */
async function framePage(embedUrl: string, sandbox: string): Promise<string> {
  const body = `<iframe src="${embedUrl}" sandbox="${sandbox}" width="600" height="700"></iframe>`;
  return addresses.hosts + (await servePage({ body }));
}

const style = (rule: string) => `<style>${rule}</style>`;
