/**
 * Every page of an account full of markup and scripts: everything is shown as text, and the pages are accessible on
 * wide and narrow screens, in light and dark.
 */
import { expect, test, type Page } from "@playwright/test";
import { expectContrast } from "../accessibility/expect-accessible.ts";
import { addresses } from "../urls.ts";
import { hostile, newHostileMerchant, shown } from "./hostile-merchant.ts";
import { expectFine, expectFineInAll, expectTextOnly, applyViewport, viewports } from "./viewports.ts";
import { newLogin, password, setUpApp, type Visitor } from "./visitor.ts";

/** `typed` is hostile text that the page shows outside of form fields. */
const pages: readonly (readonly [path: string, name: string, typed?: string])[] = [
  ["overview", "Overview"],
  ["payments", "Payments", shown.email],
  ["disputes", "Disputes"],
  ["attention", "Needs attention"],
  ["payment-methods", "Payment methods", shown.email],
  ["events", "Events"],
  ["integrate", "Integration"],
  ["keys", "API keys", hostile.script],
  ["webhooks", "Webhooks", shown.turned],
  ["requests", "Request log", hostile.script],
  ["appearance", "Appearance"],
  ["settings", "Settings"],
  ["team", "Team", hostile.markup],
  ["application", "Live mode"],
  ["audit", "Audit log"],
];

let merchant: Visitor;
let page: Page;

test.describe.configure({ mode: "serial" });

test.beforeAll(async ({ browser }) => {
  page = await (await browser.newContext()).newPage();
  merchant = await newHostileMerchant(page);
});
test.afterAll(() => page.context().close());

for (const [path, name, typed] of pages) {
  test(`${name}: shows hostile text as text and is accessible`, async () => {
    for (const viewport of viewports) {
      await applyViewport(page, viewport);
      await page.goto(`${addresses.dashboard}/${merchant.accountId}/test/${path}`);
      await expect(page.getByRole("heading", { level: 1, name })).toBeVisible();
      if (typed !== undefined) await expect(page.getByRole("main").getByText(typed).first()).toBeVisible();
      // Animations don't run in an iframe outside the viewport, and the checks wait for them to end.
      if (path === "appearance") {
        await expect(page.locator("iframe").contentFrame().getByRole("button", { name: /^Pay/ })).toBeVisible();
        await page.locator("iframe").evaluate((frame) => frame.scrollIntoView({ block: "center" }));
      }
      await expectFine(page);
      await page.emulateMedia({ colorScheme: viewport[1] === "dark" ? "light" : "dark" });
      await expectContrast(page);
    }
  });
}

test("the security page is accessible on wide and narrow screens, in light and dark", async () => {
  await page.goto(`${addresses.dashboard}/security`);
  await expect(page.getByRole("heading", { level: 1, name: "Security" })).toBeVisible();
  await expectFineInAll(page);
});

/** Lists, with the hostile texts that the page of each one's newest record shows. */
const records: readonly (readonly [list: string, name: string, typed: readonly string[]])[] = [
  ["payments", "Payments", [shown.email, hostile.formula, hostile.markup, shown.refundReason]],
  ["payments?status=failed", "Payments", [hostile.script, hostile.formula, hostile.markup]],
  ["payments?status=authorized", "Payments", ["<b>key</b>", hostile.template, hostile.address, hostile.formula]],
  ["events", "Events", []],
  ["webhooks", "Webhooks", [shown.turned]],
];

for (const [list, name, typed] of records) {
  test(`a record in ${list}: shows hostile text as text and is accessible`, async () => {
    await page.goto(`${addresses.dashboard}/${merchant.accountId}/test/${list}`);
    await page.getByRole("table").getByRole("link").first().click();
    await expect(page.getByRole("heading", { level: 1, name })).toHaveCount(0);
    for (const text of typed)
      await expect(page.getByRole("main").getByText(text, { exact: true }).first()).toBeVisible();
    await expectFineInAll(page);
  });
}

test("the response of an endpoint is shown as text", async () => {
  await page.goto(`${addresses.dashboard}/${merchant.accountId}/test/webhooks`);
  await page.getByRole("table").getByRole("link").first().click();
  await page.getByRole("table").getByRole("button", { name: /^HTTP/ }).first().click();
  await expect(page.getByRole("dialog").getByRole("region", { name: "Response" })).toHaveText(hostile.markup);
  await expectTextOnly(page);
});

for (const [where, path] of [
  ["an unknown page of the account", () => `${merchant.accountId}/test/nothing`],
  ["a page of another account", () => "acct_other/test/overview"],
  ["a page of the console", () => "console/applications"],
] as const) {
  test(`${where} leads to an accessible "not found" page`, async () => {
    await page.goto(`${addresses.dashboard}/${path()}`);
    await expect(page.getByRole("heading", { level: 1, name: "Page not found" })).toBeVisible();
    await expectFineInAll(page);
  });
}

test("the pages have a strict Content-Security-Policy and never violate it", async () => {
  const violations: string[] = [];
  page.on("console", (message) => {
    if (/Content Security Policy|Refused to/i.test(message.text())) violations.push(message.text());
  });
  const response = await page.goto(`${addresses.dashboard}/${merchant.accountId}/test/overview`);
  const policy = response?.headers()["content-security-policy"] ?? "";
  expect(policy).toMatch(/default-src 'none'/);
  expect(policy).toMatch(/script-src 'self'(;|$)/);
  expect(policy).toMatch(/frame-ancestors 'none'/);
  for (const [path] of pages) await page.goto(`${addresses.dashboard}/${merchant.accountId}/test/${path}`);
  expect(violations).toEqual([]);
});

for (const path of [
  "sign-in",
  "sign-up",
  "forgot-password",
  "verify-email",
  "reset-password",
  "choose-password",
  "invitation",
]) {
  test(`${path} is accessible on wide and narrow screens, in light and dark`, async ({ browser }) => {
    const fresh = await (await browser.newContext()).newPage();
    await fresh.goto(`${addresses.dashboard}/${path}`);
    await expect(fresh.getByRole("heading", { level: 1 })).toBeVisible();
    await expectFineInAll(fresh);
    await fresh.context().close();
  });
}

test("setting up a second factor is accessible, before and after the codes appear", async ({ browser }) => {
  const fresh = await (await browser.newContext()).newPage();
  await newLogin(fresh, { account_name: "Kiln Street" });
  await fresh.goto(`${addresses.dashboard}/second-factor/set-up`);
  await expect(fresh.getByRole("heading", { level: 1, name: "Set up two-factor authentication" })).toBeVisible();
  await expect(fresh.getByRole("radio", { name: "Passkey" })).toBeVisible();
  await expectFineInAll(fresh);
  await fresh.getByLabel("Your password").fill(password);
  await fresh.getByRole("button", { name: "Continue" }).click();
  await expect(fresh.getByRole("img", { name: "QR code for the authenticator app" })).toBeVisible();
  await expectFineInAll(fresh);
  await fresh.context().close();
});

test("the start page of a user without a team is accessible", async ({ browser }) => {
  const fresh = await (await browser.newContext()).newPage();
  await newLogin(fresh);
  await setUpApp(fresh);
  await fresh.goto(addresses.dashboard);
  await expect(fresh.getByRole("heading", { level: 1, name: "No account yet" })).toBeVisible();
  await expectFineInAll(fresh);
  await fresh.context().close();
});
