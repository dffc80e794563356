/**
 * Pages whose own markup or scripts stand in the loader's way: named elements that shadow the document, a polluted
 * prototype, addresses that strangers wrote. Each with the attack, and once without it.
 */
import { expect, test, type Page } from "@playwright/test";
import { addresses } from "../addresses.ts";
import { answerChallenge, cards, frameOf, pay } from "../checkout.ts";
import { expectSessionPaid } from "../hosts/host-till.ts";
import { expectPaidHere, openAttack, recordOrigins } from "./attack-page.ts";

/** Each page, and what shows that its attack is really there. */
const pages: { name: string; isAttacked: () => boolean }[] = [
  { name: "clobbered-current-script", isAttacked: () => document.currentScript instanceof HTMLImageElement },
  {
    name: "clobbered-globals",
    isAttacked: () =>
      typeof document.createElement !== "function" &&
      typeof document.querySelectorAll !== "function" &&
      document.body instanceof HTMLFormElement &&
      Object.getOwnPropertyNames(window).includes("Oriel"),
  },
  {
    name: "polluted-prototype",
    isAttacked: () => Reflect.get({}, "embedUrl") !== undefined && Reflect.get({}, "timeout") === 1,
  },
  {
    name: "markup-of-a-stranger",
    isAttacked: () => Document.prototype.querySelector.call(document, "#reviews") !== null,
  },
];

for (const { name, isAttacked } of pages) {
  for (const attack of [true, false]) {
    test(`${name}: ${attack ? "with the attack, only our frame is shown and it takes the payment" : "without it too"}`, async ({
      page,
    }) => {
      const origins = recordOrigins(page);
      const { sessionId } = await openAttack(page, name, { attack });
      // In the middle of the page's life the named elements and the pollution are what the loader meets.
      if (attack) expect(await page.evaluate(isAttacked)).toBe(true);

      const till = frameOf(page);
      await pay(till, cards.challenge);
      await answerChallenge(page, "111111");
      await expectPaidHere(page, sessionId);

      expect(await framesOf(page)).toEqual([addresses.checkout]);
      const expected = new Set([addresses.hosts, addresses.checkout, addresses.bank]);
      // The image's own request; no frame and no script ever comes from there.
      if (name === "clobbered-current-script" && attack) expected.add(addresses.other);
      expect([...origins].filter((origin) => !expected.has(origin))).toEqual([]);
      expect(await page.evaluate(() => (Reflect.get(window, "stolen") as unknown[] | undefined) ?? [])).toEqual([]);
    });
  }
}

for (const name of ["clobbered-globals", "polluted-prototype"]) {
  for (const attack of [true, false]) {
    test(`${name}: the bank's page grows over the page and back ${attack ? "all the same" : "without the attack"}`, async ({
      page,
    }) => {
      // Too narrow for any of the bank's sizes.
      await page.setViewportSize({ width: 262, height: 640 });
      const { sessionId } = await openAttack(page, name, { attack });
      const frame = page.locator(".checkout iframe");
      await pay(frame.contentFrame(), cards.challenge);
      await expect.poll(async () => (await frame.boundingBox())?.width).toBe(262);
      await answerChallenge(page, "111111");
      await expectPaidHere(page, sessionId);
      await expect.poll(async () => (await frame.boundingBox())?.width).toBeLessThan(262);
      await expect(page.locator("[inert]")).toHaveCount(0);
    });

    test(`${name}: the link stands in for a refused frame ${attack ? "all the same" : "without the attack"}`, async ({
      page,
    }) => {
      const session = { allowed_origins: ["https://another-shop.example"] };
      const { embedUrl, sessionId } = await openAttack(page, name, { attack, session });
      const link = page.locator(".checkout a");
      await expect(link).toBeVisible({ timeout: 20_000 });
      await expect(link).toHaveAttribute("href", embedUrl);
      await link.click();
      await pay(page, cards.approved);
      await expectSessionPaid(sessionId);
    });
  }
}

test("a checkout of a stranger's is not mounted later either", async ({ page }) => {
  await openAttack(page, "markup-of-a-stranger", { attack: true });
  await expect(frameOf(page).getByLabel("Card number", { exact: true })).toBeVisible();
  await page.evaluate((stranger) => {
    const late = document.createElement("div");
    late.setAttribute("data-oriel-checkout", "");
    late.setAttribute("data-oriel-embed-url", `${stranger}/c/cs_00000000000000000000000000#a-secret`);
    document.body.append(late);
    (Reflect.get(window, "Oriel") as { load(): void }).load(); // the script's global
  }, addresses.other);
  expect(await framesOf(page)).toEqual([addresses.checkout]);
  await page.getByRole("button", { name: "Pay" }).and(page.locator("#reviews button")).click();
  expect(await framesOf(page)).toEqual([addresses.checkout]);
});

/** Origins of the frames that the page holds itself. */
async function framesOf(page: Page): Promise<string[]> {
  return await page.evaluate(() =>
    Array.from(
      Document.prototype.querySelectorAll.call(document, "iframe"),
      (frame) => new URL((frame as HTMLIFrameElement).src).origin,
    ),
  );
}
