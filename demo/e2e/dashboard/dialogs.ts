/**
 * Every dialog and menu of the dashboard: the file that draws it, the page that it lies over, and what a reader
 * presses. `expectDialog` holds each to the same: axe finds nothing, nothing is cut off, the focus goes in and comes
 * back, and Escape closes it.
 */
import { expect, type Locator, type Page, type Route } from "@playwright/test";
import { expectAccessible } from "../accessibility/expect-accessible.ts";
import { emptyPage } from "./empty-page.ts";
import { lookAt, sights } from "./sights.ts";
import { ask } from "./visitor.ts";

export interface DialogCase {
  /** Below `packages/dashboard/src`. */
  file: string;
  /** What it is called when it is read out. */
  name: string | RegExp;
  role?: "menu";
  /** After `/:account/:mode/`, or after `/` alone. */
  path: string;
  /** Makes what it is about, as the owner of the account; `desk` is the path to its data. */
  prepare?: (page: Page, desk: string) => Promise<unknown>;
  /**
   * From the page to the dialog, but for the last press.
   * @returns what is pressed last, and has the focus again afterwards
   */
  way: (page: Page) => Promise<Locator> | Locator;
  /** Of what is pressed on the way: what is there afterwards. */
  focus?: (page: Page) => Locator;
  /** In the dialog, for more of it to be seen. */
  unfold?: (dialog: Locator) => Promise<unknown>;
  /** Shows what is never shown again, and is closed by this button only. */
  closedBy?: string;
}

const button = (name: string | RegExp) => (page: Page) => page.getByRole("button", { name }).first();
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

export const deskDialogs: readonly DialogCase[] = [
  { file: "frame/person-menu.tsx", name: /Signed in as/, role: "menu", path: "settings", way: button(/^Signed in as/) },
  {
    file: "frame/account-menu.tsx",
    name: /<img/,
    role: "menu",
    path: "settings",
    // Somebody who is of two teams.
    prepare: async (page) => {
      const me = await ask<{ memberships: object[] }>(page, "GET", "/auth/me");
      const other = { ...me.memberships[0], account_id: "acct_other", account_name: "Another shop" };
      await page.route("**/auth/me", (route) =>
        route.fulfill({ json: { ...me, memberships: [...me.memberships, other] } }),
      );
    },
    way: (page) => page.locator(".app-head").getByRole("button", { name: /^<img/ }),
  },
  {
    file: "pages/developing/create-key-dialog.tsx",
    name: "Create a test secret key",
    path: "keys",
    way: button("Create a key"),
  },
  {
    file: "pages/developing/keys.tsx",
    name: "Your new secret key",
    path: "keys",
    way: async (page) => {
      await page.getByRole("button", { name: "Create a key" }).click();
      await page.getByRole("dialog").getByLabel("Name").fill("Another one");
      return dialogButton(page, "Create");
    },
    focus: button("Create a key"),
    closedBy: "I have kept it",
  },
  { file: "pages/developing/keys.tsx", name: /^Replace /, path: "keys", way: button(/^Replace/) },
  { file: "pages/developing/keys.tsx", name: /^Revoke .*\?/, path: "keys", way: button(/^Revoke/) },
  {
    file: "pages/developing/endpoint-dialog.tsx",
    name: "Add an endpoint",
    path: "webhooks",
    way: button("Add an endpoint"),
    unfold: (dialog) => dialog.getByLabel("These types").check(),
  },
  {
    file: "pages/developing/endpoint-dialog.tsx",
    name: "Change the endpoint",
    path: "webhooks",
    way: async (page) => {
      await openEndpoint(page);
      return page.getByRole("button", { name: "Change" });
    },
  },
  {
    file: "pages/developing/webhooks.tsx",
    name: "The endpoint's signing secret",
    path: "webhooks",
    way: async (page) => {
      await page.getByRole("button", { name: "Add an endpoint" }).click();
      await page.getByRole("dialog").getByLabel("Address").fill("http://127.0.0.1:65000/another");
      return dialogButton(page, "Add");
    },
    focus: button("Add an endpoint"),
  },
  {
    file: "pages/developing/webhook.tsx",
    name: "The endpoint's signing secret",
    path: "webhooks",
    way: async (page) => {
      await openEndpoint(page);
      return page.getByRole("button", { name: "Show" });
    },
  },
  {
    file: "pages/developing/webhook.tsx",
    name: "Rotate the signing secret",
    path: "webhooks",
    way: async (page) => {
      await openEndpoint(page);
      return page.getByRole("button", { name: "Rotate" });
    },
  },
  {
    file: "pages/developing/webhook.tsx",
    name: "Delete this endpoint?",
    path: "webhooks",
    way: async (page) => {
      await openEndpoint(page);
      return page.getByRole("button", { name: "Delete" });
    },
  },
  {
    file: "pages/events/delivery-table.tsx",
    name: "Last try",
    path: "webhooks",
    way: async (page) => {
      // By its address the endpoint of `hostile-merchant.ts`: the only one that something was sent to.
      await page.getByRole("table").getByRole("link", { name: "script" }).click();
      return page
        .getByRole("table")
        .getByRole("button", { name: /^Answered/ })
        .first();
    },
  },
  { file: "pages/team/invite-dialog.tsx", name: "Invite somebody", path: "team", way: button("Invite somebody") },
  { file: "pages/team/role-dialog.tsx", name: /^What .* may do/, path: "team", way: button(/^Change role/) },
  { file: "pages/team/team.tsx", name: "Leave the team", path: "team", way: button("Leave the team") },
  { file: "pages/team/team.tsx", name: "Take the invitation back", path: "team", way: button(/^Take back/) },
  {
    file: "pages/appearance/appearance.tsx",
    name: "Back to our look",
    path: "appearance",
    prepare: (page, desk) =>
      ask(page, "PATCH", `${desk}/settings`, { appearance: { theme: "dark", disableAnimations: true } }),
    way: button("Back to ours"),
  },
  {
    file: "pages/application/documents-section.tsx",
    name: "Delete this document?",
    path: "application",
    way: async (page) => {
      await page.getByRole("region", { name: "Documents" }).locator("input[type=file]").setInputFiles(register);
      return page.getByRole("button", { name: /^Delete Register/ });
    },
  },
  {
    file: "pages/payments/payment-dialog.tsx",
    name: "Refund",
    path: "payments?status=succeeded",
    way: async (page) => {
      await openPayment(page);
      return page.getByRole("button", { name: "Refund" });
    },
  },
  {
    file: "pages/payments/payment-dialog.tsx",
    name: "Capture",
    path: "payments?status=authorized",
    way: async (page) => {
      await openPayment(page);
      return page.getByRole("button", { name: "Capture" });
    },
  },
  {
    file: "pages/payments/payment-dialog.tsx",
    name: "Cancel the payment",
    path: "payments?status=authorized",
    way: async (page) => {
      await openPayment(page);
      return page.getByRole("button", { name: "Cancel" });
    },
  },
  {
    file: "pages/payments/payment-methods.tsx",
    name: "Detach this card?",
    path: "payment-methods",
    way: button(/^Detach/),
  },
  {
    file: "frame/step-up-dialog.tsx",
    name: "Is it you?",
    path: "webhooks",
    prepare: (page) => page.route("**/reveal", refuseOldSession),
    way: async (page) => {
      await openEndpoint(page);
      return page.getByRole("button", { name: "Show" });
    },
  },
];

/** Over the page of the reader's own login, which has an authenticator app and a passkey. */
export const personalDialogs: readonly DialogCase[] = [
  {
    file: "pages/sign-in/app-section.tsx",
    name: "Remove the authenticator app",
    path: "security",
    way: button("Remove the authenticator app"),
  },
  {
    file: "pages/sign-in/passkey-section.tsx",
    name: "Remove My laptop",
    path: "security",
    way: button("Remove My laptop"),
  },
];

/** The same dialog as in test mode, where the money is real. */
export const liveKeyDialog: Omit<DialogCase, "path" | "prepare"> = {
  file: "pages/developing/create-key-dialog.tsx",
  name: "Create a LIVE secret key",
  way: button("Create a key"),
};

/** Over an account in the operator's console. */
export const consoleDialogs: readonly Omit<DialogCase, "path" | "prepare">[] = [
  { file: "pages/console/account-switch.tsx", name: /^Suspend .*\?/, way: button("Suspend") },
  { file: "pages/console/acquirer-dialog.tsx", name: /at the acquirer$/, way: button(/merchant id$/) },
];

/** As a session that is older than ten minutes is answered. */
export async function refuseOldSession(route: Route): Promise<void> {
  await route.fulfill({ status: 403, json: { error: { code: "step_up_required", message: "Again, please." } } });
}

/** @param page where the way begins */
export async function expectDialog(
  page: Page,
  { name, role, way, focus, unfold, closedBy }: Omit<DialogCase, "path" | "prepare">,
): Promise<void> {
  await page.setViewportSize({ width: 1280, height: 800 });
  const last = await way(page);
  const dialog = page.getByRole(role ?? "dialog", { name });
  await last.click();
  await expect(dialog).toBeVisible();
  await expect
    .poll(() => dialog.evaluate((element) => element.contains(document.activeElement)), "the focus is in it")
    .toBe(true);
  await unfold?.(dialog);
  for (const sight of sights) {
    await lookAt(page, sight);
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
  await expect(focus?.(page) ?? last, "the focus comes back").toBeFocused();
}

/** By how many pixels it, or what is in it, hangs over the side of the window. */
function overhangOf(dialog: Element): number {
  const { left, right } = dialog.getBoundingClientRect();
  return Math.max(-left, right - innerWidth, dialog.scrollWidth - dialog.clientWidth);
}
