/**
 * Posted messages must not make the iframe act or mislead the shop's page. Each attack starts before the iframe has
 * loaded and continues until the payment is over. The controls are in `messages.chromium.spec.ts`.
 */
import { expect, test, type Page } from "@playwright/test";
import { completeChallenge, bankPage, cards, frameOf, pay, pressPay, typeCard } from "../checkout.ts";
import { sessionOf } from "../hosts/sessions.ts";
import { addresses } from "../urls.ts";
import { expectPaidHere, expectUnpaid, openAttack, serveAttack } from "./attack-page.ts";

test("posting to the iframe does nothing, and the payment succeeds", async ({ page }) => {
  const { sessionId } = await openAttack(page, "posts-to-the-frame", { attack: true });
  const form = frameOf(page);
  await typeCard(form, cards.challenge);
  await page.evaluate(() => Reflect.set(window, "handedOver", true));
  await expectRounds(page);
  expect(await page.evaluate(() => Reflect.get(window, "replies") as unknown)).toEqual([]);
  await expect(form.getByLabel("Card number", { exact: true })).not.toHaveValue("");
  await expectUnpaid(sessionId);

  await pressPay(form);
  await completeChallenge(page, "111111");
  await expectPaidHere(page, sessionId);
  expect(await page.evaluate(() => Reflect.get(window, "replies") as unknown)).toEqual([]);
});

test("posting forged events to the shop's page does nothing, and the payment succeeds", async ({ page }) => {
  const { sessionId } = await openAttack(page, "posts-to-the-host", { attack: true });
  const form = frameOf(page);
  await typeCard(form, cards.approved);
  await expectRounds(page);
  expect(await page.evaluate(() => Reflect.get(window, "received") as unknown)).toEqual([]);
  await expectUnpaid(sessionId);
  await pressPay(form);
  await expectPaidHere(page, sessionId);
});

test("an advertisement that posts to every window does nothing, and the payment succeeds", async ({ page }) => {
  const values = { advertisement: await advertisement() };
  const { sessionId } = await openAttack(page, "sibling-frame", { attack: true, values });
  const form = frameOf(page);
  await pay(form, cards.challenge);
  await completeChallenge(page, "111111");
  await expectPaidHere(page, sessionId);
  const strangers = page.frames().filter((frame) => frame.url().includes("/pages/") && frame !== page.mainFrame());
  expect(strangers).toHaveLength(2);
  for (const stranger of strangers) {
    expect(await stranger.evaluate(() => Reflect.get(window, "rounds") as number)).toBeGreaterThan(10);
    expect(await stranger.evaluate(() => Reflect.get(window, "accepted") as unknown)).toEqual([]);
  }
});

test("a flood of two hundred thousand messages does nothing, and the payment succeeds", async ({ page }) => {
  const { sessionId } = await openAttack(page, "flood", { attack: true });
  const form = frameOf(page);
  await expect(form.getByRole("button", { name: /^Pay/ })).toBeEnabled();
  await page.getByRole("button", { name: "Flood" }).click();
  await expect.poll(() => page.evaluate(() => Reflect.get(window, "flooded") as unknown)).toBe(true);
  await pay(form, cards.approved);
  await expectPaidHere(page, sessionId);
});

test(
  "a bank's page that posts to every parent window has no effect, and the challenge continues",
  { tag: "@quick" },
  async ({ page }) => {
    const { sessionId } = await openAttack(page, "posts-to-the-host", { attack: false });
    await pay(frameOf(page), cards.challenge);
    const bank = await bankPage(page);
    await bank.evaluate(() => {
      const received: unknown[] = [];
      Reflect.set(window, "replies", received);
      addEventListener("message", ({ data }) => received.push(data));
      const complete = { sessionId: "cs_evil", status: "complete", returnUrl: null };
      for (const target of [parent, parent.parent, top as Window]) {
        const channel = new MessageChannel();
        channel.port1.addEventListener("message", ({ data }) => received.push(data));
        channel.port1.start();
        target.postMessage({ type: "oriel:init", protocol: [1] }, "*", [channel.port2]);
        channel.port1.postMessage({ namespace: "penpal", type: "SYN", participantId: "" });
        for (const step of ["ready", "loaded", "method", "challenge"])
          target.postMessage({ type: "oriel:3ds", step, url: "javascript:alert(1)", creq: "x", data: "x" }, "*");
        for (const method of ["event", "submit", "destroy"])
          target.postMessage(
            { namespace: "penpal", type: "CALL", id: "1", methodPath: [method], args: ["complete", complete] },
            "*",
          );
        target.postMessage({ penpal: "syn" }, "*");
      }
    });
    // Typing takes longer than a reply would.
    await bank.getByLabel("Code").pressSequentially("111111");
    expect(await bank.evaluate(() => Reflect.get(window, "replies") as unknown)).toEqual([]);
    expect(await page.evaluate(() => Reflect.get(window, "received") as unknown)).toEqual([]);
    expect((await sessionOf(sessionId)).status).toBe("open");
    await bank.getByRole("button", { name: "Submit" }).click();
    await expectPaidHere(page, sessionId);
  },
);

/** The advertisement's URL, under a different name than the shop's. */
async function advertisement(): Promise<string> {
  return (await serveAttack("advertisement", { attack: true, from: addresses.other })).url;
}

async function expectRounds(page: Page): Promise<void> {
  const rounds = () => page.evaluate(() => Reflect.get(window, "rounds") as number);
  const before = await rounds();
  await expect.poll(rounds).toBeGreaterThan(before + 10);
}
