/**
 * Host pages that are cross-origin isolated, or only ask that everything they embed agrees to it. The frame says so
 * when its address asks; the bank's pages, which never do, come without credentials. Where a browser cannot do that,
 * the customer is on the full page before anything is typed.
 */
import { expect, test, type Page } from "@playwright/test";
import { addresses } from "./addresses.ts";
import { answerChallenge, bankPage, cards, pay } from "./checkout.ts";
import { appPage, pageAddress, scriptTag, markup } from "./hosts/host-page.ts";
import { expectSessionPaid } from "./hosts/host-till.ts";
import { openSession } from "./hosts/sessions.ts";

const isolated = { "cross-origin-opener-policy": "same-origin", "cross-origin-embedder-policy": "require-corp" };
const onlyAsking = { "cross-origin-embedder-policy": "require-corp" };

test("a cross-origin isolated page pays, with a challenge", { tag: "@quick" }, async ({ page, browserName }) => {
  const { embedUrl, sessionId } = await openSession();
  const loads = recordPageLoads(page);
  await page.goto(await pageAddress({ head: scriptTag, body: markup(embedUrl), headers: isolated }));
  if (browserName !== "chromium") {
    await page.waitForURL((url) => url.origin === addresses.checkout);
    await pay(page, cards.challenge);
    await answerChallenge(page, "111111");
    return await expectSessionPaid(sessionId);
  }
  expect(await page.evaluate(() => crossOriginIsolated)).toBe(true);
  await pay(page.locator("#checkout iframe").contentFrame(), cards.challenge);
  expect(await (await bankPage(page)).evaluate(() => Reflect.get(window, "credentialless") as unknown)).toBe(true);
  await answerChallenge(page, "111111");
  await expectSessionPaid(sessionId);
  expect(loads).toEqual(["?coep=1"]);
});

test("a page with COEP alone pays in the frame's second load", { tag: "@quick" }, async ({ page, browserName }) => {
  test.setTimeout(90_000);
  const { embedUrl, sessionId } = await openSession();
  const loads = recordPageLoads(page);
  await page.goto(
    await pageAddress(appPage("esm", { embedUrl, timeout: 10_000, fallback: "redirect" }, { headers: onlyAsking })),
  );
  if (browserName !== "chromium") {
    await page.waitForURL((url) => url.origin === addresses.checkout, { timeout: 30_000 });
    await pay(page, cards.challenge);
  } else {
    // Not the hidden one, which asks why the first load is silent.
    await pay(page.locator("#app iframe:not([hidden])").contentFrame(), cards.challenge);
    expect(loads).toEqual(["", expect.stringContaining("coep=1")]);
  }
  await answerChallenge(page, "111111");
  await expectSessionPaid(sessionId);
});

test("control: on a page without COEP the frame is loaded plainly", { tag: "@quick" }, async ({ page }) => {
  const { embedUrl, sessionId } = await openSession();
  const loads = recordPageLoads(page);
  await page.goto(await pageAddress({ head: scriptTag, body: markup(embedUrl) }));
  expect(await page.evaluate(() => crossOriginIsolated)).toBe(false);
  await pay(page.locator("#checkout iframe").contentFrame(), cards.challenge);
  expect(await (await bankPage(page)).evaluate(() => Reflect.get(window, "credentialless") === true)).toBe(false);
  await answerChallenge(page, "111111");
  await expectSessionPaid(sessionId);
  expect(loads).toEqual([""]);
});

/** The query of every load of the checkout page. */
function recordPageLoads(page: Page): string[] {
  const loads: string[] = [];
  page.on("request", (request) => {
    const { origin, pathname, search } = new URL(request.url());
    if (origin === addresses.checkout && pathname.startsWith("/c/")) loads.push(search);
  });
  return loads;
}
