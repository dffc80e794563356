/** A session expires while its page is open. The browser's history is tested in `expiry.spec.ts`. */
import { expect, test } from "@playwright/test";
import { cards, pay, pressPay, typeCard } from "./checkout.ts";
import { openRenewingPage, passTime } from "./expiring-page.ts";
import {
  countFrameLoads,
  expectReceived,
  expectSessionPaid,
  received,
  payInEmptyForm,
  formIn,
} from "./hosts/host-checkout.ts";
import { expireSession, sessionOf } from "./hosts/sessions.ts";

test("warns one minute before expiry, then renews in the same iframe with empty fields", async ({ page }) => {
  await page.clock.install();
  const loads = countFrameLoads(page);
  const first = await openRenewingPage(page);
  const form = formIn(page);
  const frame = await page.locator("iframe").elementHandle();

  await page.clock.fastForward("59:30");
  await expectReceived(page, "expiring");
  const [{ secondsLeft } = { secondsLeft: 0 }] = await received<{ secondsLeft: number }>(page, "expiring");
  expect(secondsLeft).toBeGreaterThan(0);
  expect(secondsLeft).toBeLessThanOrEqual(60);
  expect(await received(page, "expire")).toEqual([]);

  await typeCard(form, cards.approved);
  await expireSession(first);
  await passTime(page, first, "01:30", 61);
  await expectReceived(page, "expire");
  await expectReceived(page, "ready", 2);
  expect(await received(page, "requested")).toEqual([{ reason: "initial" }, { reason: "expired" }]);
  await expect(page.locator("iframe")).toHaveCount(1);
  expect(await frame?.evaluate((element) => element.isConnected)).toBe(true);
  expect(loads()).toBe(2);

  const second = (await received<{ sessionId: string }>(page, "ready")).at(-1)?.sessionId ?? "";
  expect(second).not.toBe(first);
  await payInEmptyForm(form, second);
  expect((await sessionOf(first)).status).toBe("expired");
  expect(await received(page, "error")).toEqual([]);
});

test("a device whose clock is hours ahead shows no countdown, and a press during the session check isn't lost", async ({
  page,
}) => {
  await page.clock.install({ time: Date.now() + 3 * 3_600_000 });
  const first = await openRenewingPage(page);
  const form = formIn(page);
  const open = /\/frame\/sessions\/\w+\/open$/;
  let respond = () => {};
  const isHeld = new Promise<void>((resolve) => (respond = resolve));
  await page.route(open, async (route) => {
    await isHeld;
    await route.continue();
  });
  const opened = page.waitForRequest(open);
  await page.clock.fastForward("00:20");
  await expect(form.locator("#encrypted")).toHaveText("Encrypted on this device");
  expect(await received(page, "expiring")).toEqual([]);

  await page.clock.fastForward("59:30");
  await expectReceived(page, "expiring");
  await typeCard(form, cards.approved);
  await page.clock.fastForward("00:30");
  await opened;
  await pressPay(form);
  await expect(form.getByTestId("oriel-pay")).toHaveText("Sending…");
  respond();
  await expectSessionPaid(first);
  expect(await received(page, "expire")).toEqual([]);
});

test("a session that expired while the form was removed is renewed when the form returns", async ({ page }) => {
  await page.clock.install();
  const first = await openRenewingPage(page);
  await page.evaluate(() => window.checkout.unmount());
  await expect(page.locator("iframe")).toHaveCount(0);
  await expireSession(first);
  await passTime(page, first, "01:01:00", 61);
  await page.evaluate(() => window.checkout.mount("#app"));
  await expectReceived(page, "ready", 2);
  expect(await received(page, "requested")).toEqual([{ reason: "initial" }, { reason: "expired" }]);
  const second = (await received<{ sessionId: string }>(page, "ready")).at(-1)?.sessionId ?? "";
  expect(second).not.toBe(first);
  await payInEmptyForm(formIn(page), second);
  expect(await received(page, "error")).toEqual([]);
});

test("a renewed form that is removed and inserted again keeps the new session", async ({ page }) => {
  await page.clock.install();
  const first = await openRenewingPage(page);
  await expireSession(first);
  await passTime(page, first, "01:01:00", 61);
  await expectReceived(page, "ready", 2);
  await page.evaluate(() => {
    const container = document.querySelector("#app");
    container?.remove();
    document.body.append(container ?? "");
  });
  await expectReceived(page, "ready", 3);
  const [, second, third] = await received<{ sessionId: string }>(page, "ready");
  expect(third).toEqual(second);
  expect(await received(page, "requested")).toEqual([{ reason: "initial" }, { reason: "expired" }]);
  await payInEmptyForm(formIn(page), third?.sessionId ?? "");
});

test("the fifth failed payment ends the session, and it isn't renewed", async ({ page }) => {
  test.slow();
  const first = await openRenewingPage(page);
  const form = formIn(page);
  for (let failures = 1; failures <= 5; failures++) {
    await pay(form, cards.declined);
    await expectReceived(page, "decline", failures);
  }
  await expectReceived(page, "error");
  expect(await received(page, "error")).toMatchObject([{ code: "session_expired" }]);
  expect(await received(page, "decline")).toMatchObject([4, 3, 2, 1, 0].map((attemptsLeft) => ({ attemptsLeft })));
  expect(await received(page, "requested")).toEqual([{ reason: "initial" }]);
  expect(await received(page, "expire")).toEqual([]);
  expect((await sessionOf(first)).status).toBe("expired");
  await expect(form.getByTestId("oriel-result")).toBeVisible();
});
