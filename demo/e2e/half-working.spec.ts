/**
 * Frames that work by half: in a sandbox that leaves something out, or hidden by a stylesheet of the page. Each is told
 * to the page by a code, and the customer is not sent to look at a connection that is well.
 */
import { expect, test } from "@playwright/test";
import { addresses } from "./addresses.ts";
import { cards, pay } from "./checkout.ts";
import { servePage } from "./hosts/host-page.ts";
import { expectSessionPaid, heard, tillIn } from "./hosts/host-till.ts";
import { openSession } from "./hosts/sessions.ts";
import { expectError, fallbackLink, openFailing, payByLink, within } from "./load-errors/failing-page.ts";

const minimum = "allow-scripts allow-same-origin allow-forms";

test.describe("a sandbox", () => {
  test("without allow-forms is sandboxed, for a page whose own policy is one", async ({ page }) => {
    const { embedUrl } = await openSession();
    await openFailing(page, { embedUrl }, { "content-security-policy": "sandbox allow-scripts allow-same-origin" });
    await expectError(page, "sandboxed", within.others);
    await expect(fallbackLink(page)).toHaveAttribute("href", embedUrl);
  });

  test("without allow-forms shows the notice, in a frame that the page made itself", async ({ page }) => {
    const { embedUrl } = await openSession();
    await page.goto(await framePage(embedUrl, "allow-scripts allow-same-origin"));
    await expect(
      page.frameLocator("iframe").getByRole("heading", { name: "This form can’t be used here" }),
    ).toBeVisible();
    await expect(page.frameLocator("iframe").getByTestId("oriel-pay")).toBeHidden();
  });

  test("of allow-scripts alone shows the notice and nothing of a connection", async ({ page }) => {
    const { embedUrl } = await openSession();
    await page.goto(await framePage(embedUrl, "allow-scripts"));
    await expect(
      page.frameLocator("iframe").getByRole("heading", { name: "This form can’t be used here" }),
    ).toBeVisible();
    await expect(page.frameLocator("iframe").locator("body")).not.toContainText("connection");
  });

  test("of allow-scripts alone is sandboxed, for a page whose own policy is one", async ({ page }) => {
    const { embedUrl } = await openSession();
    await openFailing(page, { embedUrl }, { "content-security-policy": "sandbox allow-scripts" });
    await expectError(page, "sandboxed", within.others);
  });

  test("of the minimum takes a payment", async ({ page }) => {
    const { embedUrl, sessionId } = await openSession();
    await page.goto(await framePage(embedUrl, minimum));
    await pay(tillIn(page), cards.approved);
    await expectSessionPaid(sessionId);
  });
});

test.describe("a stylesheet of the page that hides the frame", () => {
  for (const rule of ["display: none", "visibility: hidden", "opacity: 0"]) {
    test(`by ${rule} is frame_hidden, and the sale is not lost`, async ({ page }) => {
      const session = await openSession();
      await openFailing(page, { embedUrl: session.embedUrl }, {}, style(`iframe { ${rule} !important }`));
      await expectError(page, "frame_hidden", within.others);
      await payByLink(page, session);
    });
  }

  test("is nothing to tell where it hides the container, which may be shown later", async ({ page }) => {
    const { embedUrl, sessionId } = await openSession();
    await openFailing(page, { embedUrl }, {}, style("#app { display: none }"));
    await expect.poll(() => heard(page, "ready")).toHaveLength(1);
    await page.waitForTimeout(3_000);
    expect(await heard(page, "error")).toEqual([]);
    await page.locator("#app").evaluate((app: HTMLElement) => app.style.setProperty("display", "block"));
    await pay(tillIn(page), cards.approved);
    await expectSessionPaid(sessionId);
  });
});

// --- helpers
// -----------------------------------------------------------------------------------------------------------------------

/** A page that holds the checkout in a frame of its own making. */
async function framePage(embedUrl: string, sandbox: string): Promise<string> {
  const body = `<iframe src="${embedUrl}" sandbox="${sandbox}" width="600" height="700"></iframe>`;
  return addresses.hosts + (await servePage({ body }));
}

const style = (rule: string) => `<style>${rule}</style>`;
