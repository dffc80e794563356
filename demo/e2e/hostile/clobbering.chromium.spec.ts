/**
 * Pages whose markup or scripts interfere with the loader: named elements that shadow the document's properties, a
 * polluted prototype, an old library that replaces built-in functions, URLs that strangers wrote. Each is tested with
 * and without the attack.
 */
import { expect, test, type Page } from "@playwright/test";
import { completeChallenge, cards, frameOf, pay } from "../checkout.ts";
import { expectSessionPaid } from "../hosts/host-checkout.ts";
import { addresses } from "../urls.ts";
import { expectPaidHere, openAttack, recordOrigins } from "./attack-page.ts";

/** Each page, and a check that its attack is active. */
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
  { name: "old-library", isAttacked: () => Array.from("ab", () => "c")[0] === "a" },
  {
    name: "markup-of-a-stranger",
    isAttacked: () => Document.prototype.querySelector.call(document, "#reviews") !== null,
  },
];

for (const { name, isAttacked } of pages) {
  for (const attack of [true, false]) {
    test(`${name}: ${attack ? "with the attack, only our iframe is shown and takes the payment" : "without the attack, it takes the payment"}`, async ({
      page,
    }) => {
      const origins = recordOrigins(page);
      const { sessionId } = await openAttack(page, name, { attack });
      // The named elements and the pollution exist while the loader runs.
      if (attack) expect(await page.evaluate(isAttacked)).toBe(true);

      const form = frameOf(page);
      await pay(form, cards.challenge);
      await completeChallenge(page, "111111");
      await expectPaidHere(page, sessionId);

      expect(await framesOf(page)).toEqual([addresses.checkout]);
      const expected = new Set([addresses.hosts, addresses.checkout, addresses.bank]);
      // Only the image is requested from there. No iframe or script ever loads from it.
      if (name === "clobbered-current-script" && attack) expected.add(addresses.other);
      expect([...origins].filter((origin) => !expected.has(origin))).toEqual([]);
      expect(await page.evaluate(() => (Reflect.get(window, "stolen") as unknown[] | undefined) ?? [])).toEqual([]);
    });
  }
}

for (const name of ["clobbered-globals", "polluted-prototype"]) {
  for (const attack of [true, false]) {
    test(`${name}: the bank's page grows over the page and back ${attack ? "despite the attack" : "without the attack"}`, async ({
      page,
    }) => {
      // Too narrow for every challenge window size.
      await page.setViewportSize({ width: 262, height: 640 });
      const { sessionId } = await openAttack(page, name, { attack });
      const frame = page.locator(".checkout iframe");
      await pay(frame.contentFrame(), cards.challenge);
      await expect.poll(async () => (await frame.boundingBox())?.width).toBe(262);
      await completeChallenge(page, "111111");
      await expectPaidHere(page, sessionId);
      await expect.poll(async () => (await frame.boundingBox())?.width).toBeLessThan(262);
      expect(await page.locator("html").evaluate((root) => getComputedStyle(root).overflow)).toBe("visible");
    });

    test(`${name}: the fallback link replaces a refused iframe ${attack ? "despite the attack" : "without the attack"}`, async ({
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

test("a stranger's checkout isn't mounted later, either", async ({ page }) => {
  await openAttack(page, "markup-of-a-stranger", { attack: true });
  await expect(frameOf(page).getByLabel("Card number", { exact: true })).toBeVisible();
  await page.evaluate((stranger) => {
    const late = document.createElement("div");
    late.setAttribute("data-oriel-checkout", "");
    late.setAttribute("data-oriel-embed-url", `${stranger}/c/cs_00000000000000000000000000#a-secret`);
    document.body.append(late);
    (Reflect.get(window, "Oriel") as { load(): void }).load(); // the script's global variable
  }, addresses.other);
  expect(await framesOf(page)).toEqual([addresses.checkout]);
  await page.getByRole("button", { name: "Pay" }).and(page.locator("#reviews button")).click();
  expect(await framesOf(page)).toEqual([addresses.checkout]);
});

/** Origins of the page's own iframes. */
async function framesOf(page: Page): Promise<string[]> {
  return await page.evaluate(() =>
    [...Document.prototype.querySelectorAll.call(document, "iframe")].map(
      (frame) => new URL((frame as HTMLIFrameElement).src).origin,
    ),
  );
}
