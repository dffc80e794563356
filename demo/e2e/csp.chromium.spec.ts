/**
 * A merchant's strictest CSP: only our origin in `script-src` and `frame-src`, no styles, and Trusted Types without a
 * policy. Every integration, and everything the loader shows, works without a violation. As a control, the same pages
 * report violations if the CSP doesn't contain our origin.
 */
import { expect, test, type Page } from "@playwright/test";
import { completeChallenge, cards, pay, type CheckoutForm } from "./checkout.ts";
import { expectSessionPaid } from "./hosts/host-checkout.ts";
import { attribute, markup, pageAddress } from "./hosts/host-page.ts";
import { openSession } from "./hosts/sessions.ts";
import { addresses } from "./urls.ts";

const nonce = "bm9uY2Utb2YtdGhlLXBhZ2U";
const policy = [
  "default-src 'none'",
  `script-src ${addresses.checkout} 'nonce-${nonce}'`,
  `frame-src ${addresses.checkout}`,
  "style-src 'none'",
  "base-uri 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
].join("; ");

const script = `<script src="${addresses.checkout}/embed/v1/oriel.js" async></script>`;
const own = (code: string) => `<script nonce="${nonce}">${code}</script>`;

test("the script tag", { tag: "@quick" }, async ({ page }) => {
  const { embedUrl, sessionId } = await openSession();
  const violations = await open(page, script, markup(embedUrl));
  await payIn(page.locator("#checkout iframe").contentFrame(), page, sessionId);
  expect(violations).toEqual([]);
});

test("the element", { tag: "@quick" }, async ({ page }) => {
  const { embedUrl, sessionId } = await openSession();
  const violations = await open(page, script, `<oriel-checkout embed-url="${attribute(embedUrl)}"></oriel-checkout>`);
  await payIn(page.locator("oriel-checkout iframe").contentFrame(), page, sessionId);
  expect(violations).toEqual([]);
});

test("the modal", { tag: "@quick" }, async ({ page }) => {
  const { embedUrl, sessionId } = await openSession();
  const violations = await open(
    page,
    script,
    `<button data-oriel-open data-oriel-embed-url="${attribute(embedUrl)}">Buy</button>`,
  );
  await expect
    .poll(() => page.evaluate(() => "Oriel" in window && !Array.isArray(Reflect.get(window, "Oriel"))))
    .toBe(true);
  await page.getByRole("button", { name: "Buy" }).click();
  await payIn(page.locator("iframe").contentFrame(), page, sessionId);
  expect(violations).toEqual([]);
});

test("the challenge over the page", { tag: "@quick" }, async ({ page }) => {
  const { embedUrl, sessionId } = await openSession();
  const options = JSON.stringify({ embedUrl, threeDS: { presentation: "overlay" } });
  const queue = own(`(window.Oriel = window.Oriel || []).push(["mount", "#here", ${options}])`);
  const violations = await open(page, queue + script, `<div id="here"></div>`);
  const form = page.locator("#here iframe").contentFrame();
  await pay(form, cards.challenge);
  const coversPage = () => page.locator("iframe").evaluate((frame) => frame.clientWidth === innerWidth);
  await expect.poll(coversPage).toBe(true);
  await completeChallenge(page, "111111");
  await expectSessionPaid(sessionId);
  await expect.poll(coversPage).toBe(false);
  expect(violations).toEqual([]);
});

test("the fallback link", { tag: "@quick" }, async ({ page }) => {
  const { embedUrl } = await openSession({ allowed_origins: ["https://another-shop.example"] });
  const violations = await open(page, script, markup(embedUrl));
  await expect(page.locator("#checkout a")).toBeVisible({ timeout: 20_000 });
  // The iframe is refused by the service's CSP, not by the merchant's.
  expect(violations.filter((violation) => !violation.includes("frame-ancestors"))).toEqual([]);
});

for (const withNonce of [false, true]) {
  test(`the loader package${withNonce ? ", with only the page's nonce" : ""}`, { tag: "@quick" }, async ({ page }) => {
    const { embedUrl, sessionId } = await openSession();
    const app = `<script type="module" nonce="${nonce}" src="/apps/loader.js"></script>`;
    const allowed = withNonce ? policy.replace(`script-src ${addresses.checkout}`, "script-src") : policy;
    const violations = await open(page, app, `<div id="here"></div>`, allowed);
    await expect.poll(() => page.evaluate(() => typeof window.loadOriel)).toBe("function");
    await page.evaluate(
      async ({ origin, url, word }) => {
        const oriel = await window.loadOriel({ origin, ...(word === null ? {} : { nonce: word }) });
        oriel?.mountCheckout("#here", { embedUrl: url });
      },
      { origin: addresses.checkout, url: embedUrl, word: withNonce ? nonce : null },
    );
    await payIn(page.locator("#here iframe").contentFrame(), page, sessionId);
    expect(violations).toEqual([]);
  });
}

test(
  "control: a CSP without our origin is violated, and the violations are recorded",
  { tag: "@quick" },
  async ({ page }) => {
    const { embedUrl } = await openSession();
    const violations = await open(
      page,
      script,
      markup(embedUrl),
      policy.replaceAll(addresses.checkout, "https://another.example"),
    );
    await expect.poll(() => violations.length).toBeGreaterThan(0);
  },
);

/**
 * Opens a page with the CSP. The returned list collects violations in its document, and console messages about the CSP
 * from any iframe.
 */
async function open(page: Page, head: string, body: string, contentSecurityPolicy = policy): Promise<string[]> {
  const violations: string[] = [];
  await page.exposeFunction("noteViolation", (text: string) => violations.push(text));
  await page.addInitScript(() => {
    const note = Reflect.get(window, "noteViolation") as (text: string) => void; // exposed above
    addEventListener("securitypolicyviolation", ({ effectiveDirective, blockedURI, sample }) =>
      note([effectiveDirective, blockedURI, sample].join(" ")),
    );
  });
  page.on("console", (message) => {
    if (/content.security.policy|trusted ?types|trusted(HTML|Script)/i.test(message.text()))
      violations.push(message.text());
  });
  await page.goto(await pageAddress({ head, body, headers: { "content-security-policy": contentSecurityPolicy } }));
  return violations;
}

async function payIn(form: CheckoutForm, page: Page, sessionId: string): Promise<void> {
  await pay(form, cards.challenge);
  await completeChallenge(page, "111111");
  await expectSessionPaid(sessionId);
}
