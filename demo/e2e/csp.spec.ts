/**
 * Under a merchant's strictest CSP, the loader and everything it shows work without a violation. As a control, the same
 * page reports violations if the CSP doesn't contain our origin. The other integrations are in `csp.chromium.spec.ts`.
 */
import { expect, test } from "@playwright/test";
import { completeChallenge, cards, pay } from "./checkout.ts";
import { expectSessionPaid } from "./hosts/host-checkout.ts";
import { markup } from "./hosts/host-page.ts";
import { openSession } from "./hosts/sessions.ts";
import { inlineScript, loaderScript, openWithPolicy, payWithPackage, policy } from "./hosts/strict-page.ts";
import { addresses } from "./urls.ts";

test("the challenge over the page", { tag: "@quick" }, async ({ page }) => {
  const { embedUrl, sessionId } = await openSession();
  const options = JSON.stringify({ embedUrl, threeDS: { presentation: "overlay" } });
  const queue = inlineScript(`(window.Oriel = window.Oriel || []).push(["mount", "#here", ${options}])`);
  const violations = await openWithPolicy(page, queue + loaderScript, `<div id="here"></div>`);
  const form = page.locator("#here iframe").contentFrame();
  await pay(form, cards.challenge);
  const coversPage = () => page.locator("iframe").evaluate((frame) => frame.clientWidth === innerWidth);
  await expect.poll(coversPage).toBe(true);
  await completeChallenge(page, "111111");
  await expectSessionPaid(sessionId);
  await expect.poll(coversPage).toBe(false);
  expect(violations).toEqual([]);
});

test("the loader package, with only the page's nonce", { tag: "@quick" }, async ({ page }) => {
  expect(await payWithPackage(page, true)).toEqual([]);
});

test(
  "control: a CSP without our origin is violated, and the violations are recorded",
  { tag: "@quick" },
  async ({ page }) => {
    const { embedUrl } = await openSession();
    const violations = await openWithPolicy(
      page,
      loaderScript,
      markup(embedUrl),
      policy.replaceAll(addresses.checkout, "https://another.example"),
    );
    await expect.poll(() => violations.length).toBeGreaterThan(0);
  },
);
