/**
 * Every dialog and menu of the dashboard: the source file, the page, and how users open it. `expectDialog` checks that
 * axe finds no violations, that nothing is cut off, that the focus moves in and returns, and that Escape closes it.
 */
import { expect, type Locator, type Page, type Route } from "@playwright/test";
import type { AttentionItem } from "@oriel/protocol/dashboard/acquirers";
import { expectAccessible } from "../accessibility/expect-accessible.ts";
import { emptyPage } from "./empty-page.ts";
import { applyViewport, viewports } from "./viewports.ts";
import { request } from "./visitor.ts";

export interface DialogCase {
  /** Relative to `packages/dashboard/src`. */
  file: string;
  /** The accessible name. */
  name: string | RegExp;
  role?: "menu";
  /** Relative to `/:account/:mode/`, or to `/` for pages without an account. */
  path: string;
  /**
   * Creates the data that the dialog needs, as the account's owner. `dataPath` is the path under which the service has
   * the account's data.
   */
  prepare?: (page: Page, dataPath: string) => Promise<unknown>;
  /**
   * Does everything needed to open the dialog except the last click.
   * @returns the element to click, which has the focus again afterwards
   */
  open: (page: Page) => Promise<Locator> | Locator;
  /** The element that has the focus afterwards, if the last clicked element is gone. */
  focus?: (page: Page) => Locator;
  /** Expands further parts of the dialog. */
  unfold?: (dialog: Locator) => Promise<unknown>;
  /** The only button that closes the dialog, for secrets that are shown once. */
  closedBy?: string;
}

const button = (name: string | RegExp) => (page: Page) => page.getByRole("button", { name }).first();
const buttonAfter = (follow: (page: Page) => Promise<void>, name: string) => async (page: Page) => {
  await follow(page);
  return page.getByRole("button", { name });
};
const dialogButton = (page: Page, name: string) => page.getByRole("dialog").getByRole("button", { name, exact: true });

async function openEndpoint(page: Page): Promise<void> {
  await page.getByRole("table").getByRole("link").first().click();
  await expect(page.getByRole("heading", { level: 2, name: "Signing secret" })).toBeVisible();
}

async function openPayment(page: Page): Promise<void> {
  await page.getByRole("table").getByRole("link").first().click();
  await expect(page.getByRole("heading", { level: 1, name: /^Payment of/ })).toBeVisible();
}

const register = {
  name: `Register "><img src=x> ${"long ".repeat(20)}.pdf`,
  mimeType: "application/pdf",
  buffer: emptyPage,
};

export const accountDialogs: readonly DialogCase[] = [
  {
    file: "layout/user-menu.tsx",
    name: /Signed in as/,
    role: "menu",
    path: "settings",
    open: button(/^Signed in as/),
  },
  {
    file: "layout/account-menu.tsx",
    name: /<img/,
    role: "menu",
    path: "settings",
    // A member of two teams.
    prepare: async (page) => {
      const me = await request<{ memberships: object[] }>(page, "GET", "/auth/me");
      const other = { ...me.memberships[0], account_id: "acct_other", account_name: "Another shop" };
      await page.route("**/auth/me", (route) =>
        route.fulfill({ json: { ...me, memberships: [...me.memberships, other] } }),
      );
    },
    open: (page) => page.locator(".app-head").getByRole("button", { name: /^<img/ }),
  },
  {
    file: "pages/developers/create-key-dialog.tsx",
    name: "Create test secret key",
    path: "keys",
    open: button("Create key"),
  },
  {
    file: "pages/developers/keys.tsx",
    name: "Your new secret key",
    path: "keys",
    open: async (page) => {
      await page.getByRole("button", { name: "Create key" }).click();
      await page.getByRole("dialog").getByLabel("Name").fill("Another one");
      return dialogButton(page, "Create key");
    },
    focus: button("Create key"),
    closedBy: "I've saved it",
  },
  { file: "pages/developers/keys.tsx", name: /^Rotate /, path: "keys", open: button(/^Rotate/) },
  { file: "pages/developers/keys.tsx", name: /^Revoke .*\?/, path: "keys", open: button(/^Revoke/) },
  {
    file: "pages/developers/endpoint-dialog.tsx",
    name: "Add endpoint",
    path: "webhooks",
    open: button("Add endpoint"),
    unfold: (dialog) => dialog.getByLabel("Selected event types").check(),
  },
  {
    file: "pages/developers/endpoint-dialog.tsx",
    name: "Edit endpoint",
    path: "webhooks",
    open: buttonAfter(openEndpoint, "Edit"),
  },
  {
    file: "pages/developers/webhooks.tsx",
    name: "Signing secret",
    path: "webhooks",
    open: async (page) => {
      await page.getByRole("button", { name: "Add endpoint" }).click();
      await page.getByRole("dialog").getByLabel("Endpoint URL").fill("http://127.0.0.1:65000/another");
      return dialogButton(page, "Add endpoint");
    },
    focus: button("Add endpoint"),
  },
  {
    file: "pages/developers/webhook.tsx",
    name: "Signing secret",
    path: "webhooks",
    open: buttonAfter(openEndpoint, "Reveal"),
  },
  {
    file: "pages/developers/webhook.tsx",
    name: "Rotate signing secret",
    path: "webhooks",
    open: buttonAfter(openEndpoint, "Rotate"),
  },
  {
    file: "pages/developers/webhook.tsx",
    name: "Delete this endpoint?",
    path: "webhooks",
    open: buttonAfter(openEndpoint, "Delete"),
  },
  {
    file: "pages/events/delivery-table.tsx",
    name: "Last attempt",
    path: "webhooks",
    open: async (page) => {
      // The endpoint of `hostile-merchant.ts`, the only one with deliveries. Its URL contains "script".
      await page.getByRole("table").getByRole("link", { name: "script" }).click();
      return page.getByRole("table").getByRole("button", { name: /^HTTP/ }).first();
    },
  },
  { file: "pages/team/invite-dialog.tsx", name: "Invite member", path: "team", open: button("Invite member") },
  { file: "pages/team/role-dialog.tsx", name: /^Change role of /, path: "team", open: button(/^Change role/) },
  { file: "pages/team/team.tsx", name: "Leave team?", path: "team", open: button("Leave team") },
  { file: "pages/team/team.tsx", name: "Revoke invitation?", path: "team", open: button(/^Revoke/) },
  {
    file: "pages/appearance/appearance.tsx",
    name: "Reset appearance?",
    path: "appearance",
    prepare: (page, dataPath) =>
      request(page, "PATCH", `${dataPath}/settings`, { appearance: { theme: "dark", disableAnimations: true } }),
    open: button("Reset to default"),
  },
  {
    file: "pages/application/documents-section.tsx",
    name: "Delete this document?",
    path: "application",
    open: async (page) => {
      await page.getByRole("region", { name: "Documents" }).locator("input[type=file]").setInputFiles(register);
      return page.getByRole("button", { name: /^Delete Register/ });
    },
  },
  {
    file: "pages/payments/payment-dialog.tsx",
    name: "Refund payment",
    path: "payments?status=succeeded",
    open: buttonAfter(openPayment, "Refund"),
  },
  {
    file: "pages/payments/payment-dialog.tsx",
    name: "Capture payment",
    path: "payments?status=authorized",
    open: buttonAfter(openPayment, "Capture"),
  },
  {
    file: "pages/payments/payment-dialog.tsx",
    name: "Cancel payment",
    path: "payments?status=authorized",
    open: buttonAfter(openPayment, "Cancel"),
  },
  {
    file: "pages/attention/resolve-actions.tsx",
    name: "Mark payment as failed?",
    path: "attention",
    // The service raises it a day after a reversal without an outcome.
    prepare: (page) => page.route("**/attention?state=open*", listUnknownOutcome),
    open: button("Mark as failed"),
  },
  {
    file: "pages/payments/payment-methods.tsx",
    name: "Detach this card?",
    path: "payment-methods",
    open: button(/^Detach/),
  },
  {
    file: "layout/step-up-dialog.tsx",
    name: "Confirm it's you",
    path: "webhooks",
    prepare: (page) => page.route("**/reveal", refuseOldSession),
    open: buttonAfter(openEndpoint, "Reveal"),
  },
];

/** The dialogs on the security page of a user with an authenticator app and a passkey. */
export const personalDialogs: readonly DialogCase[] = [
  {
    file: "pages/sign-in/app-section.tsx",
    name: "Remove authenticator app?",
    path: "security",
    open: button("Remove authenticator app"),
  },
  {
    file: "pages/sign-in/passkey-section.tsx",
    name: "Remove My laptop?",
    path: "security",
    open: button("Remove My laptop"),
  },
];

/** The dialog for creating a key, in live mode. */
export const liveKeyDialog: Omit<DialogCase, "path" | "prepare"> = {
  file: "pages/developers/create-key-dialog.tsx",
  name: "Create LIVE secret key",
  open: button("Create key"),
};

/** The dialogs on the page of an account in the operator's console. */
export const consoleDialogs: readonly Omit<DialogCase, "path" | "prepare">[] = [
  { file: "pages/console/account-switch.tsx", name: /^Suspend .*\?/, open: button("Suspend") },
  { file: "pages/console/acquirer-dialog.tsx", name: /^Merchant ID of /, open: button(/merchant ID$/) },
  {
    file: "pages/console/connect-adyen-dialog.tsx",
    name: /^Adyen for .*live mode$/,
    open: button("Connect Adyen in live mode"),
  },
];

async function listUnknownOutcome(route: Route): Promise<void> {
  const item: AttentionItem = {
    object: "attention_item",
    livemode: false,
    id: "na_1",
    created: 1_800_000_000,
    kind: "outcome_unknown",
    charge_id: "ch_1",
    details: { operation: "authorize", amount: 4900, currency: "eur" },
    resolved: null,
    resolved_by: null,
  };
  await route.fulfill({ json: { data: [item], has_more: false } });
}

/** Responds as the service does if the user must confirm their identity first. */
export async function refuseOldSession(route: Route): Promise<void> {
  await route.fulfill({ status: 403, json: { error: { code: "step_up_required", message: "Confirm it's you." } } });
}

/** @param page shows the page that the dialog is opened from */
export async function expectDialog(
  page: Page,
  { name, role, open, focus, unfold, closedBy }: Omit<DialogCase, "path" | "prepare">,
): Promise<void> {
  await page.setViewportSize({ width: 1280, height: 800 });
  const last = await open(page);
  const dialog = page.getByRole(role ?? "dialog", { name });
  await last.click();
  await expect(dialog).toBeVisible();
  await expect
    .poll(() => dialog.evaluate((element) => element.contains(document.activeElement)), "the dialog has the focus")
    .toBe(true);
  await unfold?.(dialog);
  for (const viewport of viewports) {
    await applyViewport(page, viewport);
    await expectAccessible(page);
    expect(await dialog.evaluate(overhangOf), "nothing is cut off").toBeLessThanOrEqual(0);
  }
  await page.setViewportSize({ width: 1280, height: 800 });
  if (closedBy !== undefined) {
    await page.keyboard.press("Escape");
    await expect(dialog).toBeVisible();
    await dialog.getByRole("button", { name: closedBy }).click();
  } else await page.keyboard.press("Escape");
  await expect(page.getByRole(role ?? "dialog")).toHaveCount(0);
  await expect(focus?.(page) ?? last, "the focus returns").toBeFocused();
}

/** Number of pixels by which the dialog or its content overflows the window horizontally. */
function overhangOf(dialog: Element): number {
  const { left, right } = dialog.getBoundingClientRect();
  return Math.max(-left, right - innerWidth, dialog.scrollWidth - dialog.clientWidth);
}
