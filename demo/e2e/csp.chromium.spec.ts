/** Integrations that work under a merchant's strictest CSP, in addition to those in `csp.spec.ts`. */
import { expect, test } from "@playwright/test";
import { markup, attribute } from "./hosts/host-page.ts";
import { openSession } from "./hosts/sessions.ts";
import { loaderScript, openWithPolicy, payIn, payWithPackage } from "./hosts/strict-page.ts";

test("the script tag", { tag: "@quick" }, async ({ page }) => {
  const { embedUrl, sessionId } = await openSession();
  const violations = await openWithPolicy(page, loaderScript, markup(embedUrl));
  await payIn(page.locator("#checkout iframe").contentFrame(), page, sessionId);
  expect(violations).toEqual([]);
});

test("the element", { tag: "@quick" }, async ({ page }) => {
  const { embedUrl, sessionId } = await openSession();
  const violations = await openWithPolicy(
    page,
    loaderScript,
    `<oriel-checkout embed-url="${attribute(embedUrl)}"></oriel-checkout>`,
  );
  await payIn(page.locator("oriel-checkout iframe").contentFrame(), page, sessionId);
  expect(violations).toEqual([]);
});

test("the modal", { tag: "@quick" }, async ({ page }) => {
  const { embedUrl, sessionId } = await openSession();
  const violations = await openWithPolicy(
    page,
    loaderScript,
    `<button data-oriel-open data-oriel-embed-url="${attribute(embedUrl)}">Buy</button>`,
  );
  await expect
    .poll(() => page.evaluate(() => "Oriel" in window && !Array.isArray(Reflect.get(window, "Oriel"))))
    .toBe(true);
  await page.getByRole("button", { name: "Buy" }).click();
  await payIn(page.locator("iframe").contentFrame(), page, sessionId);
  expect(violations).toEqual([]);
});

test("the fallback link", { tag: "@quick" }, async ({ page }) => {
  const { embedUrl } = await openSession({ allowed_origins: ["https://another-shop.example"] });
  const violations = await openWithPolicy(page, loaderScript, markup(embedUrl));
  await expect(page.locator("#checkout a")).toBeVisible({ timeout: 20_000 });
  // The iframe is refused by the service's CSP, not by the merchant's.
  expect(violations.filter((violation) => !violation.includes("frame-ancestors"))).toEqual([]);
});

test("the loader package", { tag: "@quick" }, async ({ page }) => {
  expect(await payWithPackage(page, false)).toEqual([]);
});
