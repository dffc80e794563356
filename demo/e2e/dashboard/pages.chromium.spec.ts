/**
 * Every page of an account, filled with what customers and merchants can type and would rather it were run: shown as
 * the text that it is, with nothing for axe to find, wide and narrow, light and dark.
 */
import { expect, test, type Page } from "@playwright/test";
import { expectContrast } from "../accessibility/expect-accessible.ts";
import { addresses } from "../addresses.ts";
import { hostile, newHostileMerchant, shown } from "./hostile-merchant.ts";
import { expectFine, expectFineInAll, expectTextOnly, lookAt, sights } from "./sights.ts";
import { newLogin, password, setUpApp, type Visitor } from "./visitor.ts";

/** Where it is not in a field: what stands on the page of all that was typed. */
const pages: readonly (readonly [path: string, name: string, typed?: string])[] = [
  ["overview", "Overview"],
  ["payments", "Payments", shown.email],
  ["payment-methods", "Payment methods", shown.email],
  ["events", "Events"],
  ["integrate", "Integrate"],
  ["keys", "Secret keys", hostile.script],
  ["webhooks", "Webhook endpoints", shown.turned],
  ["requests", "Requests", hostile.script],
  ["appearance", "Appearance"],
  ["settings", "Settings"],
  ["team", "Team", hostile.markup],
  ["application", "Live mode"],
  ["audit", "Audit"],
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
  test(`${name}: text stays text, and axe finds nothing`, async () => {
    for (const sight of sights) {
      await lookAt(page, sight);
      await page.goto(`${addresses.dashboard}/${merchant.accountId}/test/${path}`);
      await expect(page.getByRole("heading", { level: 1, name })).toBeVisible();
      // A narrow page leaves out some of it.
      if (typed !== undefined) await expect(page.getByRole("main").getByText(typed).first()).toBeAttached();
      // What moves in a frame that is out of sight stands still, and is waited for.
      if (path === "appearance") {
        await expect(page.locator("iframe").contentFrame().getByRole("button", { name: /^Pay/ })).toBeVisible();
        await page.locator("iframe").evaluate((frame) => frame.scrollIntoView({ block: "center" }));
      }
      await expectFine(page);
      await page.emulateMedia({ colorScheme: sight[1] === "dark" ? "light" : "dark" });
      await expectContrast(page);
    }
  });
}

test("the reader's own page: nothing for axe to find, wide and narrow, light and dark", async () => {
  await page.goto(`${addresses.dashboard}/security`);
  await expect(page.getByRole("heading", { level: 1, name: "Security" })).toBeVisible();
  await expectFineInAll(page);
});

/** The newest of each list, and what of all that was typed stands on its page. */
const records: readonly (readonly [list: string, name: string, typed: readonly string[]])[] = [
  ["payments", "Payments", [shown.email, hostile.formula, hostile.markup, shown.refundReason]],
  ["payments?status=failed", "Payments", [hostile.script, hostile.formula, hostile.markup]],
  ["payments?status=authorized", "Payments", ["<b>key</b>", hostile.template, hostile.address, hostile.formula]],
  ["events", "Events", []],
  ["webhooks", "Webhook endpoints", [shown.turned]],
];

for (const [list, name, typed] of records) {
  test(`one of ${list}: text stays text, and axe finds nothing`, async () => {
    await page.goto(`${addresses.dashboard}/${merchant.accountId}/test/${list}`);
    await page.getByRole("table").getByRole("link").first().click();
    await expect(page.getByRole("heading", { level: 1, name })).toHaveCount(0);
    for (const text of typed)
      await expect(page.getByRole("main").getByText(text, { exact: true }).first()).toBeVisible();
    await expectFineInAll(page);
  });
}

test("what an endpoint answered: text stays text", async () => {
  await page.goto(`${addresses.dashboard}/${merchant.accountId}/test/webhooks`);
  await page.getByRole("table").getByRole("link").first().click();
  await page
    .getByRole("table")
    .getByRole("button", { name: /^Answered/ })
    .first()
    .click();
  await expect(page.getByRole("dialog").getByRole("region", { name: "Answer" })).toHaveText(hostile.markup);
  await expectTextOnly(page);
});

for (const [where, path] of [
  ["of the account", () => `${merchant.accountId}/test/nothing`],
  ["of an account of others", () => "acct_other/test/overview"],
  ["of the console", () => "console/applications"],
] as const) {
  test(`an address ${where} without a page for the reader: nothing for axe to find`, async () => {
    await page.goto(`${addresses.dashboard}/${path()}`);
    await expect(page.getByRole("heading", { level: 1, name: "There is no such page" })).toBeVisible();
    await expectFineInAll(page);
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
    await fresh.goto(`${addresses.dashboard}/${path}`);
    await expect(fresh.getByRole("heading", { level: 1 })).toBeVisible();
    await expectFineInAll(fresh);
    await fresh.context().close();
  });
}

test("where a login sets up its second factor: nothing for axe to find, before and with the codes", async ({
  browser,
}) => {
  const fresh = await (await browser.newContext()).newPage();
  await newLogin(fresh, { account_name: "Kiln Street" });
  await fresh.goto(`${addresses.dashboard}/second-factor/set-up`);
  await expect(fresh.getByRole("heading", { level: 1, name: "Set up a second factor" })).toBeVisible();
  await expect(fresh.getByRole("radio", { name: "Passkey" })).toBeVisible();
  await expectFineInAll(fresh);
  await fresh.getByLabel("Your password").fill(password);
  await fresh.getByRole("button", { name: "Begin" }).click();
  await expect(fresh.getByRole("img", { name: "QR code for the authenticator app" })).toBeVisible();
  await expectFineInAll(fresh);
  await fresh.context().close();
});

test("where a login belongs that is in no team: nothing for axe to find", async ({ browser }) => {
  const fresh = await (await browser.newContext()).newPage();
  await newLogin(fresh);
  await setUpApp(fresh);
  await fresh.goto(addresses.dashboard);
  await expect(fresh.getByRole("heading", { level: 1, name: "No account yet" })).toBeVisible();
  await expectFineInAll(fresh);
  await fresh.context().close();
});
