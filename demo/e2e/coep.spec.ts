/**
 * Host pages that are cross-origin isolated, or that set only COEP. The iframe's page sends the headers if its URL asks
 * for them. The bank's pages never send them, so they load without credentials. If a browser doesn't support that, the
 * customer is redirected to the full page before typing anything.
 */
import { expect, test, type Page } from "@playwright/test";
import { completeChallenge, bankPage, cards, pay } from "./checkout.ts";
import { expectSessionPaid } from "./hosts/host-checkout.ts";
import { appPage, pageAddress, scriptTag, markup } from "./hosts/host-page.ts";
import { openSession } from "./hosts/sessions.ts";
import { addresses } from "./urls.ts";

const isolated = { "cross-origin-opener-policy": "same-origin", "cross-origin-embedder-policy": "require-corp" };
const embedderPolicyOnly = { "cross-origin-embedder-policy": "require-corp" };

test(
  "a customer pays with a challenge on a cross-origin isolated page",
  { tag: "@quick" },
  async ({ page, browserName }) => {
    const { embedUrl, sessionId } = await openSession();
    const loads = recordPageLoads(page);
    await page.goto(await pageAddress({ head: scriptTag, body: markup(embedUrl), headers: isolated }));
    if (browserName !== "chromium") {
      await page.waitForURL((url) => url.origin === addresses.checkout);
      await pay(page, cards.challenge);
      await completeChallenge(page, "111111");
      return await expectSessionPaid(sessionId);
    }
    expect(await page.evaluate(() => crossOriginIsolated)).toBe(true);
    await pay(page.locator("#checkout iframe").contentFrame(), cards.challenge);
    expect(await (await bankPage(page)).evaluate(() => Reflect.get(window, "credentialless") as unknown)).toBe(true);
    await completeChallenge(page, "111111");
    await expectSessionPaid(sessionId);
    expect(loads).toEqual(["?coep=1"]);
  },
);

test(
  "a customer pays on a page with only COEP, after the iframe's second load",
  { tag: "@quick" },
  async ({ page, browserName }) => {
    test.setTimeout(90_000);
    const { embedUrl, sessionId } = await openSession();
    const loads = recordPageLoads(page);
    await page.goto(
      await pageAddress(
        appPage("esm", { embedUrl, timeout: 10_000, fallback: "redirect" }, { headers: embedderPolicyOnly }),
      ),
    );
    if (browserName !== "chromium") {
      await page.waitForURL((url) => url.origin === addresses.checkout, { timeout: 30_000 });
      await pay(page, cards.challenge);
    } else {
      // Excludes the hidden iframe that finds out why the first load doesn't respond.
      await pay(page.locator("#app iframe:not([hidden])").contentFrame(), cards.challenge);
      expect(loads).toEqual(["", expect.stringContaining("coep=1")]);
    }
    await completeChallenge(page, "111111");
    await expectSessionPaid(sessionId);
  },
);

test("control: on a page without COEP the iframe's URL has no query", { tag: "@quick" }, async ({ page }) => {
  const { embedUrl, sessionId } = await openSession();
  const loads = recordPageLoads(page);
  await page.goto(await pageAddress({ head: scriptTag, body: markup(embedUrl) }));
  expect(await page.evaluate(() => crossOriginIsolated)).toBe(false);
  await pay(page.locator("#checkout iframe").contentFrame(), cards.challenge);
  expect(await (await bankPage(page)).evaluate(() => Reflect.get(window, "credentialless") === true)).toBe(false);
  await completeChallenge(page, "111111");
  await expectSessionPaid(sessionId);
  expect(loads).toEqual([""]);
});

/** The query strings of all loads of the checkout page. */
function recordPageLoads(page: Page): string[] {
  const loads: string[] = [];
  page.on("request", (request) => {
    const { origin, pathname, search } = new URL(request.url());
    if (origin === addresses.checkout && pathname.startsWith("/c/")) loads.push(search);
  });
  return loads;
}
