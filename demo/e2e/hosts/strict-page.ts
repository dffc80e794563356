/**
 * Host pages with a merchant's strictest CSP: only our origin in `script-src` and `frame-src`, no styles, and Trusted
 * Types without a policy.
 */
import { expect, type Page } from "@playwright/test";
import { completeChallenge, cards, pay, type CheckoutForm } from "../checkout.ts";
import { addresses } from "../urls.ts";
import { expectSessionPaid } from "./host-checkout.ts";
import { pageAddress } from "./host-page.ts";
import { openSession } from "./sessions.ts";

const nonce = "bm9uY2Utb2YtdGhlLXBhZ2U";
export const policy = [
  "default-src 'none'",
  `script-src ${addresses.checkout} 'nonce-${nonce}'`,
  `frame-src ${addresses.checkout}`,
  "style-src 'none'",
  "base-uri 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
].join("; ");

export const loaderScript = `<script src="${addresses.checkout}/embed/v1/oriel.js" async></script>`;
/** An inline script of the page. */
export const inlineScript = (code: string) => `<script nonce="${nonce}">${code}</script>`;

/**
 * Opens a page with the CSP. The returned list collects violations in its document, and console messages about the CSP
 * from any iframe. The icon, which Firefox requests for every page, is the page's own.
 */
export async function openWithPolicy(
  page: Page,
  head: string,
  body: string,
  contentSecurityPolicy = policy,
): Promise<string[]> {
  const violations: string[] = [];
  await page.exposeFunction("noteViolation", (text: string) => violations.push(text));
  await page.addInitScript(() => {
    const note = Reflect.get(window, "noteViolation") as (text: string) => void; // exposed above
    addEventListener("securitypolicyviolation", ({ effectiveDirective, blockedURI, sample }) => {
      if (blockedURI !== `${location.origin}/favicon.ico`) note([effectiveDirective, blockedURI, sample].join(" "));
    });
  });
  page.on("console", (message) => {
    if (/content.security.policy|trusted ?types|trusted(HTML|Script)/i.test(message.text()))
      violations.push(message.text());
  });
  await page.goto(await pageAddress({ head, body, headers: { "content-security-policy": contentSecurityPolicy } }));
  return violations;
}

/** Pays with a challenge. */
export async function payIn(form: CheckoutForm, page: Page, sessionId: string): Promise<void> {
  await pay(form, cards.challenge);
  await completeChallenge(page, "111111");
  await expectSessionPaid(sessionId);
}

/** Loads the package in the page, and pays in the form that it mounts. @returns the CSP violations */
export async function payWithPackage(page: Page, withNonce: boolean): Promise<string[]> {
  const { embedUrl, sessionId } = await openSession();
  const app = `<script type="module" nonce="${nonce}" src="/apps/loader.js"></script>`;
  const allowed = withNonce ? policy.replace(`script-src ${addresses.checkout}`, "script-src") : policy;
  const violations = await openWithPolicy(page, app, `<div id="here"></div>`, allowed);
  await expect.poll(() => page.evaluate(() => typeof window.loadOriel)).toBe("function");
  await page.evaluate(
    async ({ origin, url, word }) => {
      const oriel = await window.loadOriel({ origin, ...(word === null ? {} : { nonce: word }) });
      oriel?.mountCheckout("#here", { embedUrl: url });
    },
    { origin: addresses.checkout, url: embedUrl, word: withNonce ? nonce : null },
  );
  await payIn(page.locator("#here iframe").contentFrame(), page, sessionId);
  return violations;
}
