/**
 * What the challenge's sandbox allows the bank's page outside its iframe. The bank's app opens in a new window, the
 * shop's page stays where it is, and the payment continues. As a control, each action that the sandbox blocks is also
 * tested with a sandbox that allows it.
 */
import { expect, test, type Frame, type Page } from "@playwright/test";
import { threeDSecureCards } from "@oriel/protocol/test-cards";
import { completeChallenge, bankPage } from "../checkout.ts";
import { addresses } from "../urls.ts";
import { inSandbox, methodSandbox } from "./at-the-bank.ts";
import { expectEnd, passedChallenge, payBy, type Try } from "./try-to-pay.ts";

const outside = `${addresses.bank}/acs/outside`;

test("tapping the bank's link opens its app, which approves the payment", async ({ page, browserName }) => {
  const tried = await payBy(page, threeDSecureCards.challenge_out_of_band[0]);
  const app = await newWindow(page, async () =>
    (await bankPage(page)).getByRole("link", { name: "/acs/app/" }).click(),
  );
  // Firefox lets a page that has escaped the sandbox navigate the shop's page, so in Firefox it can't escape.
  expect(await isSandboxed(app)).toBe(browserName === "firefox");
  await app.getByRole("button", { name: "Approve" }).click();
  await expect(app.getByText("You can go back to the shop.")).toBeVisible();
  await app.close();
  await expectEnd(tried, passedChallenge);
});

test("the same tap does nothing in the 3DS Method's sandbox", async ({ page }) => {
  await payBy(page, threeDSecureCards.challenge_out_of_band[0]);
  const bank = await inSandbox(page, methodSandbox, "I have approved it");
  await bank.getByRole("link", { name: "/acs/app/" }).click();
  await expect(bank.getByRole("link", { name: "/acs/app/" })).toBeFocused();
  await bank.getByRole("button", { name: "I have approved it" }).click();
  await expect(bank.getByText("We’re waiting for your approval.")).toBeVisible();
  expect(page.context().pages()).toEqual([page]);
});

test.describe("the bank's page can't navigate the shop's page", () => {
  for (const button of ["Navigate the top window", "Navigate the parent window"]) {
    test(`after the customer taps "${button}", and the challenge can be passed`, async ({ page }) => {
      const { tried, bank } = await atNavigatingBank(page);
      await bank.getByRole("button", { name: button }).click();
      // Firefox and WebKit may open a tab instead.
      await page.bringToFront();
      await expectPassable(tried);
    });
  }

  test("when a script sets top.location and parent.location", async ({ page }) => {
    const { tried, bank } = await atNavigatingBank(page);
    expect(await setLocation(bank, "top")).toBe("SecurityError");
    expect(await setLocation(bank, "parent")).toBe("SecurityError");
    await expectPassable(tried);
  });

  test("when a window that it opened uses opener", async ({ page }) => {
    const { tried, bank } = await atNavigatingBank(page);
    const opened = await newWindow(page, () =>
      bank.getByRole("link", { name: "Navigate the top window from a new window" }).click(),
    );
    await expect(opened.getByRole("status")).toHaveText("Blocked: SecurityError");
    await opened.close();
    await expectPassable(tried);
  });
});

test("control: with allow-top-navigation, setting top.location navigates the shop's page away", async ({ page }) => {
  await payBy(page, threeDSecureCards.challenge[0]);
  const bank = await inSandbox(page, `${methodSandbox} allow-top-navigation`, "Submit");
  await setLocation(bank, "top");
  await expect(page).toHaveURL(outside);
});

test("control: a window that has escaped the sandbox can navigate the shop's page only in Firefox", async ({
  page,
  browserName,
}) => {
  const { address } = await payBy(page, threeDSecureCards.challenge_navigates_top[0]);
  const bank = await inSandbox(page, `${methodSandbox} allow-popups allow-popups-to-escape-sandbox`, "Submit");
  const link = bank.getByRole("link", { name: "Navigate the top window from a new window" });
  const [opened] = await Promise.all([page.context().waitForEvent("page"), link.click()]);
  if (browserName === "firefox") return expect(page).toHaveURL(outside);
  await expect(opened.getByRole("status")).toHaveText("Blocked: SecurityError");
  expect(page.url()).toBe(address);
});

/** Opens a bank page that tries to take over the shop's window. */
async function atNavigatingBank(page: Page): Promise<{ tried: Try; bank: Frame }> {
  const tried = await payBy(page, threeDSecureCards.challenge_navigates_top[0]);
  const bank = await bankPage(page);
  await expect(bank.getByText("This page tries to leave its iframe.")).toBeVisible();
  return { tried, bank };
}

async function expectPassable(tried: Try): Promise<void> {
  expect(tried.page.url()).toBe(tried.address);
  await completeChallenge(tried.page, "111111");
  await expect(tried.form.getByTestId("oriel-result")).toContainText("Payment complete");
  await expectEnd(tried, passedChallenge);
}

async function newWindow(page: Page, tap: () => Promise<void>): Promise<Page> {
  const [opened] = await Promise.all([page.context().waitForEvent("page"), tap()]);
  await opened.waitForLoadState();
  return opened;
}

/** Checks for a sandbox. A sandboxed page can never set `document.domain`, whatever the sandbox allows. */
function isSandboxed(page: Page): Promise<boolean> {
  return page.evaluate(() => {
    try {
      document.domain = location.hostname;
      return false;
    } catch {
      return true;
    }
  });
}

/** The error's name, or null. */
function setLocation(bank: Frame, of: "top" | "parent"): Promise<string | null> {
  return bank.evaluate(
    ([name, address]) => {
      try {
        window[name]!.location.href = address;
        return null;
      } catch (error) {
        return (error as Error).name; // browsers throw this type
      }
    },
    [of, outside] as const,
  );
}
