/**
 * Every page of an account, filled with what customers and merchants can type and would rather it were run: shown as the text that it is, with nothing for axe to
 * find, wide and narrow, light and dark.
 */
import { expect, test, type Page } from "@playwright/test";
import { expectAccessible, expectContrast } from "../accessibility/expect-accessible.ts";
import { addresses } from "../addresses.ts";
import { ask, newMerchant, type Visitor } from "./visitor.ts";

/** Each does something that is seen if anything of it becomes more than text. */
const hostile = [
  `<img src=x onerror="globalThis.ran=1">`,
  `"><script>globalThis.ran=1</script>`,
  `javascript:globalThis.ran=1`,
  `{{constructor.constructor('globalThis.ran=1')()}}`,
  `\u202Egnp.exe <svg/onload=globalThis.ran=1>`,
  `=cmd|' /C calc'!A0`,
];
const [markup = "", script = "", address = "", template = "", turned = "", formula = ""] = hostile;

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
  merchant = await newMerchant(page, { accountName: markup });
  const desk = `/data/${merchant.accountId}/test`;
  const { secret_key: key } = await ask<{ secret_key: string }>(page, "POST", `${desk}/keys`, { name: script, scope: "full" });
  await ask(page, "POST", `${desk}/team/invitations`, { email: `"onerror=ran"'@shop.example`, role: "read_only" });
  await ask(page, "POST", `${desk}/webhook_endpoints`, { url: "http://127.0.0.1:65000/%3Cscript%3E", description: turned });
  for (const payment_method_id of ["pm_card_visa", "pm_card_declined_generic"]) {
    const metadata = { "<b>key</b>": template, address, formula };
    const customer = { email: `${markup}@shop.example`, name: script, reference: formula };
    await api(key, "/checkout_sessions", { amount: 4900, currency: "eur", description: markup, customer, metadata });
    const { id: decision_id } = await api(key, "/decisions", { amount: 4900, currency: "eur", payment_method_id });
    await api(key, "/charges", { amount: 4900, currency: "eur", payment_method_id, decision_id, metadata });
  }
  await ask(page, "PUT", `${desk}/application`, { legal_entity: { name: markup, address: script }, business: markup });
});
test.afterAll(() => page.context().close());

async function api(key: string, path: string, body: object): Promise<{ id: string }> {
  const response = await fetch(`${addresses.api}/api/v1${path}`, {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    body: JSON.stringify(body),
  });
  const answer = (await response.json()) as { id: string };
  if (response.status !== 200 && response.status !== 402) throw new Error(`${path}: ${JSON.stringify(answer)}`); // 402: a decline, which is wanted
  return answer;
}

async function expectTextOnly(): Promise<void> {
  expect(await page.evaluate(() => "ran" in globalThis)).toBe(false);
  await expect(page.locator("img[src='x'], svg[onload], a[href^='javascript:']")).toHaveCount(0);
  expect(
    await page.evaluate(() => document.documentElement.scrollWidth - innerWidth),
    "nothing hangs over the side",
  ).toBeLessThanOrEqual(0);
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
