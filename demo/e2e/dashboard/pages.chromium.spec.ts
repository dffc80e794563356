/**
 * Every page of an account, filled with what customers and merchants can type and would rather it were run: shown as the text that it is, with nothing for axe to
 * find, wide and narrow, light and dark.
 */
import { expect, test, type Page } from "@playwright/test";
import { expectAccessible, expectContrast } from "../accessibility/expect-accessible.ts";
import { addresses } from "../addresses.ts";
import { newHostileMerchant } from "./hostile-merchant.ts";
import { newLogin, password, setUpApp, type Visitor } from "./visitor.ts";

const pages = [
  ["overview", "Overview"],
  ["payments", "Payments"],
  ["payment-methods", "Payment methods"],
  ["events", "Events"],
  ["integrate", "Integrate"],
  ["keys", "Secret keys"],
  ["webhooks", "Webhook endpoints"],
  ["requests", "Requests"],
  ["appearance", "Appearance"],
  ["settings", "Settings"],
  ["team", "Team"],
  ["application", "Live mode"],
  ["audit", "Audit"],
] as const;

const sights = [
  [1280, "light"],
  [390, "dark"],
] as const;

let merchant: Visitor;
let page: Page;

test.describe.configure({ mode: "serial" });

test.beforeAll(async ({ browser }) => {
  page = await (await browser.newContext()).newPage();
  merchant = await newHostileMerchant(page);
});
test.afterAll(() => page.context().close());

async function expectTextOnly(): Promise<void> {
  expect(await page.evaluate(() => "ran" in globalThis)).toBe(false);
  await expect(page.locator("img[src='x'], svg[onload], a[href^='javascript:']")).toHaveCount(0);
  await expectNoOverhang(page);
}

/** At last: the navigation takes a moment to fold. */
async function expectNoOverhang(page: Page): Promise<void> {
  const overhang = () => page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
  await expect.poll(overhang, "nothing hangs over the side").toBeLessThanOrEqual(0);
}

for (const [path, name] of pages) {
  test(`${name}: text stays text, and axe finds nothing`, async () => {
    for (const [width, scheme] of sights) {
      await page.setViewportSize({ width, height: 800 });
      await page.emulateMedia({ colorScheme: scheme });
      await page.goto(`${addresses.dashboard}/${merchant.accountId}/test/${path}`);
      await expect(page.getByRole("heading", { level: 1, name })).toBeVisible();
      await expect(page.getByRole("status", { name: "Loading" })).toHaveCount(0);
      // What moves in a frame that is out of sight stands still, and is waited for.
      if (path === "appearance") {
        await expect(page.locator("iframe").contentFrame().getByRole("button", { name: /^Pay/ })).toBeVisible();
        await page.locator("iframe").evaluate((frame) => frame.scrollIntoView({ block: "center" }));
      }
      await expectTextOnly();
      await expectAccessible(page);
      await page.emulateMedia({ colorScheme: scheme === "dark" ? "light" : "dark" });
      await expectContrast(page);
    }
  });
}

test("the reader's own page: nothing for axe to find, wide and narrow, light and dark", async () => {
  for (const [width, scheme] of sights) {
    await page.setViewportSize({ width, height: 800 });
    await page.emulateMedia({ colorScheme: scheme });
    await page.goto(`${addresses.dashboard}/security`);
    await expect(page.getByRole("heading", { level: 1, name: "Security" })).toBeVisible();
    await expect(page.getByRole("status", { name: "Loading" })).toHaveCount(0);
    await expectTextOnly();
    await expectAccessible(page);
  }
});

for (const [list, name] of [
  ["payments", "Payments"],
  ["events", "Events"],
  ["webhooks", "Webhook endpoints"],
] as const) {
  test(`one of the ${name.toLowerCase()}: text stays text, and axe finds nothing`, async () => {
    await page.goto(`${addresses.dashboard}/${merchant.accountId}/test/${list}`);
    await page.getByRole("table").getByRole("link").first().click();
    await expect(page.getByRole("heading", { level: 1, name })).toHaveCount(0);
    await expect(page.getByRole("status", { name: "Loading" })).toHaveCount(0);
    for (const [width, scheme] of sights) {
      await page.setViewportSize({ width, height: 800 });
      await page.emulateMedia({ colorScheme: scheme });
      await expectTextOnly();
      await expectAccessible(page);
    }
  });
}

test("the pages run under a policy that would have stopped all of it, and never complain of it", async () => {
  const complaints: string[] = [];
  page.on("console", (message) => {
    if (/Content Security Policy|Refused to/i.test(message.text())) complaints.push(message.text());
  });
  const answer = await page.goto(`${addresses.dashboard}/${merchant.accountId}/test/overview`);
  const policy = answer?.headers()["content-security-policy"] ?? "";
  expect(policy).toMatch(/default-src 'none'/);
  expect(policy).toMatch(/script-src 'self'(;|$)/);
  expect(policy).toMatch(/frame-ancestors 'none'/);
  for (const [path] of pages) await page.goto(`${addresses.dashboard}/${merchant.accountId}/test/${path}`);
  expect(complaints).toEqual([]);
});

for (const path of ["sign-in", "sign-up", "forgot-password", "verify-email", "reset-password", "invitation"]) {
  test(`${path}: nothing for axe to find, wide and narrow, light and dark`, async ({ browser }) => {
    const fresh = await (await browser.newContext()).newPage();
    for (const [width, scheme] of sights) {
      await fresh.setViewportSize({ width, height: 800 });
      await fresh.emulateMedia({ colorScheme: scheme });
      await fresh.goto(`${addresses.dashboard}/${path}`);
      await expect(fresh.getByRole("heading", { level: 1 })).toBeVisible();
      await expectAccessible(fresh);
    }
    await fresh.context().close();
  });
}

test("where a login sets up its second factor: nothing for axe to find, before and with the codes", async ({ browser }) => {
  const fresh = await (await browser.newContext()).newPage();
  await newLogin(fresh, { account_name: "Kiln Street" });
  await fresh.goto(`${addresses.dashboard}/second-factor/set-up`);
  await expect(fresh.getByRole("heading", { level: 1, name: "Set up a second factor" })).toBeVisible();
  await expect(fresh.getByRole("radio", { name: "Passkey" })).toBeVisible();
  await expectAccessibleInAll(fresh);
  await fresh.getByLabel("Your password").fill(password);
  await fresh.getByRole("button", { name: "Begin" }).click();
  await expect(fresh.getByRole("img", { name: "QR code for the authenticator app" })).toBeVisible();
  await expectAccessibleInAll(fresh);
  await fresh.context().close();
});

test("where a login belongs that is in no team: nothing for axe to find", async ({ browser }) => {
  const fresh = await (await browser.newContext()).newPage();
  await newLogin(fresh);
  await setUpApp(fresh);
  await fresh.goto(addresses.dashboard);
  await expect(fresh.getByRole("heading", { level: 1, name: "No account yet" })).toBeVisible();
  await expectAccessibleInAll(fresh);
  await fresh.context().close();
});

async function expectAccessibleInAll(page: Page): Promise<void> {
  for (const [width, scheme] of sights) {
    await page.setViewportSize({ width, height: 800 });
    await page.emulateMedia({ colorScheme: scheme });
    await expectAccessible(page);
    await expectNoOverhang(page);
  }
}
