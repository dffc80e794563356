/**
 * Posted messages must not make the iframe act or mislead the shop's page. Each attack starts before the iframe has
 * loaded and continues until the payment is over. The page without it is the control.
 */
import { expect, test, type Page } from "@playwright/test";
import { addresses } from "../urls.ts";
import { answerChallenge, bankPage, cards, frameOf, pay, pressPay, typeCard } from "../checkout.ts";
import { sessionOf } from "../hosts/sessions.ts";
import { expectPaidHere, expectUnpaid, openAttack, serveAttack } from "./attack-page.ts";

for (const attack of [true, false]) {
  const words = attack ? "does nothing, and the payment succeeds" : "left out (control): the payment succeeds";

  test(`posting to the iframe ${words}`, async ({ page }) => {
    const { sessionId } = await openAttack(page, "posts-to-the-frame", { attack });
    const till = frameOf(page);
    await typeCard(till, cards.challenge);
    await page.evaluate(() => Reflect.set(window, "handedOver", true));
    if (attack) await expectRounds(page);
    expect(await page.evaluate(() => Reflect.get(window, "answers") as unknown)).toEqual(attack ? [] : undefined);
    await expect(till.getByLabel("Card number", { exact: true })).not.toHaveValue("");
    await expectUnpaid(sessionId);

    await pressPay(till);
    await answerChallenge(page, "111111");
    await expectPaidHere(page, sessionId);
    expect(await page.evaluate(() => Reflect.get(window, "answers") as unknown)).toEqual(attack ? [] : undefined);
  });

  test(`posting forged events to the shop's page ${words}`, async ({ page }) => {
    const { sessionId } = await openAttack(page, "posts-to-the-host", { attack });
    const till = frameOf(page);
    await typeCard(till, cards.approved);
    if (attack) await expectRounds(page);
    expect(await page.evaluate(() => Reflect.get(window, "heard") as unknown)).toEqual([]);
    await expectUnpaid(sessionId);
    await pressPay(till);
    await expectPaidHere(page, sessionId);
  });

  test(`an advertisement that posts to every window ${words}`, async ({ page }) => {
    const { sessionId } = await openAttack(page, "sibling-frame", {
      attack,
      values: { advertisement: attack ? await advertisement() : "" },
    });
    const till = frameOf(page);
    await pay(till, cards.challenge);
    await answerChallenge(page, "111111");
    await expectPaidHere(page, sessionId);
    if (!attack) return;
    const strangers = page.frames().filter((frame) => frame.url().includes("/pages/") && frame !== page.mainFrame());
    expect(strangers).toHaveLength(2);
    for (const stranger of strangers) {
      expect(await stranger.evaluate(() => Reflect.get(window, "rounds") as number)).toBeGreaterThan(10);
      expect(await stranger.evaluate(() => Reflect.get(window, "answered") as unknown)).toEqual([]);
    }
  });

  test(`a flood of two hundred thousand messages ${words}`, async ({ page }) => {
    const { sessionId } = await openAttack(page, "flood", { attack });
    const till = frameOf(page);
    await expect(till.getByRole("button", { name: /^Pay/ })).toBeEnabled();
    if (attack) {
      await page.getByRole("button", { name: "Flood" }).click();
      await expect.poll(() => page.evaluate(() => Reflect.get(window, "flooded") as unknown)).toBe(true);
    }
    await pay(till, cards.approved);
    await expectPaidHere(page, sessionId);
  });
}

test(
  "a bank's page that posts to every parent window has no effect, and the challenge continues",
  { tag: "@quick" },
  async ({ page }) => {
    const { sessionId } = await openAttack(page, "posts-to-the-host", { attack: false });
    await pay(frameOf(page), cards.challenge);
    const bank = await bankPage(page);
    const answers = await bank.evaluate(async () => {
      const heard: unknown[] = [];
      addEventListener("message", ({ data }) => heard.push(data));
      const complete = { sessionId: "cs_evil", status: "complete", returnUrl: null };
      for (const target of [parent, parent.parent, top as Window]) {
        const channel = new MessageChannel();
        channel.port1.addEventListener("message", ({ data }) => heard.push(data));
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
      await new Promise((resolve) => setTimeout(resolve, 500));
      return heard;
    });
    expect(answers).toEqual([]);
    expect(await page.evaluate(() => Reflect.get(window, "heard") as unknown)).toEqual([]);
    expect((await sessionOf(sessionId)).status).toBe("open");
    await answerChallenge(page, "111111");
    await expectPaidHere(page, sessionId);
  },
);

test(
  "a complete event that the page forges doesn't pay the session, but a payment does",
  { tag: "@quick" },
  async ({ page }) => {
    const { sessionId } = await openAttack(page, "posts-to-the-host", { attack: true });
    await page.evaluate((id) => {
      const { onComplete } = window as unknown as { onComplete(detail: object): void }; // scripts/hear.js
      onComplete({ sessionId: id, status: "complete", returnUrl: null });
      document
        .querySelector(".checkout")
        ?.dispatchEvent(new CustomEvent("oriel-complete", { bubbles: true, detail: { sessionId: id } }));
    }, sessionId);
    await page.waitForTimeout(500);
    await expectUnpaid(sessionId);
    await page.evaluate(() => Reflect.set(window, "heard", []));
    await pay(frameOf(page), cards.approved);
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
