/**
 * What the customer sees if a checkout can't load, depending on the merchant's setting: a link to the full page, the
 * full page itself, or nothing.
 */
import { expect, test } from "@playwright/test";
import { cards, pay } from "./checkout.ts";
import { expectSessionPaid } from "./hosts/host-checkout.ts";
import { appPage, markup, pageAddress, scriptTag } from "./hosts/host-page.ts";
import { expireSession, openSession } from "./hosts/sessions.ts";
import { expectError, openFailing, unlisted, within } from "./load-errors/failing-page.ts";
import { addresses } from "./urls.ts";

test.describe("what the customer sees instead", () => {
  test(
    "a fallback of redirect navigates to the full page, where the customer pays",
    { tag: "@quick" },
    async ({ page }) => {
      const session = await openSession(unlisted);
      await page.goto(await pageAddress(appPage("esm", { embedUrl: session.embedUrl, fallback: "redirect" })));
      await page.waitForURL((url) => url.origin === addresses.checkout, { timeout: within.others });
      await pay(page, cards.approved);
      await expectSessionPaid(session.sessionId);
    },
  );

  test("a fallback of redirect navigates once per session and page view", async ({ page }) => {
    const { embedUrl } = await openSession(unlisted);
    await page.goto(await pageAddress(appPage("esm")));
    await page.evaluate((url) => {
      const again = () => {
        const checkout = window.embed.createCheckout({ embedUrl: url, fallback: "redirect" });
        checkout.on("*", (event) =>
          window.received.push({ type: event.type, detail: event.type === "error" ? event.detail.code : null }),
        );
        checkout.on("redirect", (event) => event.preventDefault());
        checkout.mount("#app");
        return checkout;
      };
      const first = again();
      first.on("redirect", () => {
        first.destroy();
        again();
      });
    }, embedUrl);
    await expect
      .poll(() => page.evaluate(() => window.received.filter(({ type }) => type === "error").length), {
        timeout: 2 * within.others,
      })
      .toBe(2);
    expect(await page.evaluate(() => window.received.filter(({ type }) => type === "redirect").length)).toBe(1);
    expect(new URL(page.url()).origin).toBe(addresses.hosts);
  });

  test("a failed checkout that the page destroys doesn't redirect", async ({ page }) => {
    const { embedUrl } = await openSession(unlisted);
    await page.goto(await pageAddress(appPage("esm")));
    const navigations = await page.evaluate(async (url) => {
      let count = 0;
      navigation.addEventListener("navigate", () => count++);
      const checkout = window.embed.createCheckout({ embedUrl: url, fallback: "redirect" });
      checkout.mount("#app");
      await checkout.ready.catch(() => checkout.destroy());
      await new Promise((resolve) => setTimeout(resolve)); // after the task that redirects
      return count;
    }, embedUrl);
    expect(navigations).toBe(0);
    await expect(page.locator("#app")).toBeEmpty();
  });

  for (const which of ["session_expired", "session_invalid"] as const) {
    test(`a fallback of redirect doesn't navigate for ${which}, because there's nothing to pay`, async ({ page }) => {
      const session = await openSession();
      if (which === "session_expired") await expireSession(session.sessionId);
      const embedUrl =
        which === "session_expired" ? session.embedUrl : session.embedUrl.replace(/cs_\w+/, `cs_${"0".repeat(26)}`);
      await openFailing(page, { embedUrl, fallback: "redirect" });
      await expectError(page, which, within.others);
      await page.evaluate(() => new Promise((resolve) => setTimeout(resolve))); // after the task that redirects
      expect(await page.evaluate(() => window.received.some(({ type }) => type === "redirect"))).toBe(false);
    });
  }

  test("a fallback of error shows nothing", async ({ page }) => {
    const { embedUrl } = await openSession(unlisted);
    await openFailing(page, { embedUrl, fallback: "error" });
    await expectError(page, "origin_not_allowed", within.others);
    await expect(page.locator("#app a, #app iframe, #app p")).toHaveCount(0);
    expect(await page.locator("#app").innerText()).toBe("");
  });

  test("a checkout in markup falls back to the link, too", { tag: "@quick" }, async ({ page }) => {
    const session = await openSession(unlisted);
    await page.goto(await pageAddress({ head: scriptTag, body: markup(session.embedUrl) }));
    const link = page.locator("#checkout a");
    await expect(link).toBeVisible({ timeout: within.others });
    await link.click();
    await pay(page, cards.approved);
    await expectSessionPaid(session.sessionId);
  });
});
