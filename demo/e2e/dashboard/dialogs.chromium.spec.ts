/**
 * Every dialog and menu (listed in `dialogs.ts`), for an account full of markup and scripts, and the dialog that asks
 * users to confirm their identity.
 */
import { globSync, readFileSync } from "node:fs";
import { expect, test, type Page } from "@playwright/test";
import { addresses } from "../urls.ts";
import { consoleDialogs, accountDialogs, expectDialog, personalDialogs, refuseOldSession } from "./dialogs.ts";
import { newHostileMerchant } from "./hostile-merchant.ts";
import { request, newLogin, password, plugInPasskeys, setUpApp, type Visitor } from "./visitor.ts";

const sources = "packages/dashboard/src";
/** Components that open on top of a page. */
const opening =
  /<(Dialog|ConfirmDialog|OverlapDialog|RemoveFactorDialog|SecretOnce|Menu|Modal|Drawer|Popover|HoverCard)[\s>]/g;
/** Files with shared dialogs. `dialogs.ts` lists those under the files that use them. */
const sharedDialogs = [
  "parts/dialog.tsx",
  "parts/confirm-dialog.tsx",
  "parts/secret-once.tsx",
  "pages/developers/overlap-dialog.tsx",
  "pages/sign-in/remove-factor-dialog.tsx",
];

test("dialogs.ts lists every dialog", () => {
  const listed = [...accountDialogs, ...personalDialogs, ...consoleDialogs].map(({ file }) => file);
  const drawn = globSync("**/*.tsx", { cwd: sources })
    .filter((file) => !sharedDialogs.includes(file))
    .map((file) => ({ file, count: readFileSync(`${sources}/${file}`, "utf8").match(opening)?.length ?? 0 }));
  expect(drawn.filter(({ file, count }) => listed.filter((each) => each === file).length < count)).toEqual([]);
  expect(listed.filter((file) => !drawn.some((each) => each.file === file && each.count > 0))).toEqual([]);
});

test.describe("an account's dialogs", () => {
  test.describe.configure({ mode: "default" }); // all dialogs share one account
  let merchant: Visitor;
  let page: Page;
  test.beforeAll(async ({ browser }) => {
    page = await (await browser.newContext()).newPage();
    merchant = await newHostileMerchant(page);
  });
  test.afterEach(() => page.unrouteAll());
  test.afterAll(() => page.context().close());

  for (const dialog of accountDialogs) {
    test(`${dialog.file}, ${String(dialog.name)}: is accessible and returns the focus`, async () => {
      await dialog.prepare?.(page, `/data/${merchant.accountId}/test`);
      await page.goto(`${addresses.dashboard}/${merchant.accountId}/test/${dialog.path}`);
      await expectDialog(page, dialog);
      expect(await page.evaluate(() => "ran" in globalThis)).toBe(false);
    });
  }

  test("an action continues after the user enters password and code, and both dialogs return the focus", async () => {
    await page.goto(`${addresses.dashboard}/${merchant.accountId}/test/webhooks`);
    await page.getByRole("table").getByRole("link").first().click();
    await page.route("**/reveal", refuseOldSession, { times: 1 });
    await page.getByRole("button", { name: "Reveal" }).click();
    const stepUp = page.getByRole("dialog", { name: "Confirm it's you" });
    await expect(stepUp.getByRole("button", { name: "Use a passkey" })).toHaveCount(0);
    await stepUp.getByLabel("Password", { exact: true }).fill(password);
    await stepUp.getByLabel("Code").fill(merchant.code());
    await page.keyboard.press("Enter");
    await expect(page.getByRole("dialog", { name: "Signing secret" }).getByText(/^whsec_/)).toBeVisible();
    await expect(stepUp).toHaveCount(0);
    await page.keyboard.press("Escape");
    await expect(page.getByRole("dialog")).toHaveCount(0);
    await expect(page.getByRole("button", { name: "Reveal" })).toBeFocused();
  });

  test("a refund with an unknown outcome is retried unchanged, even after the dialog is closed and the user signed out", async () => {
    await page.goto(`${addresses.dashboard}/${merchant.accountId}/test/payments`);
    await page.getByRole("table").getByRole("link").first().click();
    const keys: (string | undefined)[] = [];
    let isLost = true;
    await page.route("**/refund", async (route) => {
      keys.push(route.request().headers()["idempotency-key"]);
      await (isLost ? route.abort("timedout") : route.fallback());
    });
    const refunded = async () => {
      const list = await request<{ data: { amount_refunded: number }[] }>(
        page,
        "GET",
        `/data/${merchant.accountId}/test/payments`,
      );
      return list.data[0]?.amount_refunded ?? Number.NaN;
    };
    const before = await refunded();
    const dialog = page.getByRole("dialog", { name: "Refund payment" });
    const open = async () => {
      await page.getByRole("button", { name: "Refund" }).click();
      await expect(dialog).toBeVisible();
    };
    await open();
    await dialog.getByLabel("Amount").fill("1,000");
    await dialog.getByRole("button", { name: "Refund" }).click();
    await expect(dialog).toContainText("without a comma");
    await dialog.getByLabel("Amount").fill("1,5");
    await expect(dialog).toContainText(/1\.50 of up to/);
    expect(keys).toEqual([]);
    await dialog.getByRole("button", { name: "Refund" }).click();
    await expect(dialog).toContainText("Outcome unknown");

    await dialog.getByRole("button", { name: "Close" }).last().click();
    await open();
    await expect(dialog.getByLabel("Amount")).toHaveValue("1,5");
    await expect(dialog.getByLabel("Amount")).toBeDisabled();
    await page.keyboard.press("Escape");
    const payment = page.url();
    await page.getByRole("button", { name: /^Signed in as/ }).click();
    await page.getByRole("menuitem", { name: "Sign out" }).click();
    await expect(page.getByRole("heading", { name: "Sign in" })).toBeVisible();
    await request(page, "POST", "/auth/sign-in", { email: merchant.email, password });
    await request(page, "POST", "/auth/second-factor", { code: merchant.code() });
    await page.goto(payment);
    await open();
    isLost = false;
    await dialog.getByRole("button", { name: "Retry" }).click();
    await expect(dialog).toHaveCount(0);
    await open();
    await expect(dialog.getByRole("button", { name: "Refund" })).toBeVisible();
    expect(keys).toEqual([keys[0], keys[0]]);
    expect(await refunded()).toBe(before + 150);
  });

  test("Escape closes only the topmost dialog, and the dialog below keeps its input", async () => {
    await page.goto(`${addresses.dashboard}/${merchant.accountId}/test/keys`);
    await page.getByRole("button", { name: "Create key" }).click();
    await page.route("**/keys", (route) =>
      route.request().method() === "POST" ? refuseOldSession(route) : route.fallback(),
    );
    const below = page.getByRole("dialog", { name: "Create test secret key" });
    await below.getByLabel("Name").fill("The shop's server");
    await below.getByRole("button", { name: "Create key" }).click();
    await expect(page.getByRole("dialog", { name: "Confirm it's you" })).toBeVisible();
    await page.keyboard.press("Escape");
    await expect(page.getByRole("dialog", { name: "Confirm it's you" })).toHaveCount(0);
    await expect(below.getByLabel("Name")).toHaveValue("The shop's server");
    await expect(below.getByRole("button", { name: "Create key" })).toBeFocused();
  });
});

test("a user with only a passkey can confirm with it, add an app, and then remove one of the two", async ({ page }) => {
  await plugInPasskeys(page);
  await newLogin(page, { account_name: "Kiln Street" });
  await page.goto(`${addresses.dashboard}/second-factor/set-up`);
  await page.getByLabel("Passkey").check();
  await page.getByLabel("Passkey name").fill("My laptop");
  await page.getByLabel("Your password").fill(password);
  await page.getByRole("button", { name: "Add passkey" }).click();
  await expect(page.getByRole("heading", { level: 1, name: /Overview|Integration/ })).toBeVisible();

  await page.goto(`${addresses.dashboard}/security`);
  await expect(page.getByRole("region", { name: "Recovery codes" })).toHaveCount(0);
  await page.route("**/totp/begin", refuseOldSession, { times: 1 });
  await page.getByRole("button", { name: "Add authenticator app" }).click();
  await page.getByRole("region", { name: "Authenticator app" }).getByLabel("Your password").fill(password);
  await page.getByRole("button", { name: "Continue" }).click();
  const stepUp = page.getByRole("dialog", { name: "Confirm it's you" });
  await expect(stepUp.getByRole("button", { name: "Use a passkey" })).toBeFocused();
  await expect(stepUp.getByLabel("Code")).toHaveCount(0);
  await stepUp.getByRole("button", { name: "Use a passkey" }).click();
  await expect(page.getByRole("img", { name: "QR code for the authenticator app" })).toBeVisible();
  await page.getByRole("button", { name: "Cancel" }).click();
  await setUpApp(page);
  await page.reload();

  await expect(page.getByRole("region", { name: "Recovery codes" })).toContainText("10 codes left");
  for (const dialog of personalDialogs) {
    await page.goto(`${addresses.dashboard}/${dialog.path}`);
    await expectDialog(page, dialog);
  }
  await page.getByRole("button", { name: "Remove authenticator app" }).click();
  await page.route("**/totp/remove", refuseOldSession, { times: 1 });
  await page.getByRole("dialog").getByLabel("Your password").fill(password);
  await page.getByRole("dialog").getByRole("button", { name: "Remove" }).click();
  await expect(stepUp.getByLabel("Code")).toBeVisible();
  await stepUp.getByRole("button", { name: "Use a passkey" }).click();
  await expect(page.getByRole("button", { name: "Add authenticator app" })).toBeVisible();
  expect(await request(page, "GET", "/auth/security")).toMatchObject({
    has_authenticator: false,
    passkeys: [{ name: "My laptop" }],
  });
});
