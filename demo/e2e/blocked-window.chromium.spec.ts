/**
 * A small iframe has no space for the payment confirmation, so the customer continues in a new window. If the iframe's
 * sandbox blocks the window, the browser logs its URL. Chromium only, because no other browser logs it.
 */
import { expect, test } from "@playwright/test";
import { cards, typeCard } from "./checkout.ts";
import { formIn } from "./hosts/host-checkout.ts";
import { servePage } from "./hosts/host-page.ts";
import { openSession } from "./hosts/sessions.ts";
import { addresses } from "./urls.ts";

test("the secret isn't logged when the sandbox blocks the window", async ({ page }) => {
  const { embedUrl } = await openSession();
  const [, secret = ""] = embedUrl.split("#");
  const printed: string[] = [];
  page.on("console", (message) => printed.push(`${message.text()} ${message.location().url}`));
  const sandbox = "allow-scripts allow-same-origin allow-forms";
  const body = `<iframe src="${embedUrl}" sandbox="${sandbox}" width="600" height="700"></iframe>`;
  await page.goto(addresses.hosts + (await servePage({ body })));
  const form = formIn(page);
  await typeCard(form, cards.approved);
  const frame = page.locator("iframe");
  await frame.evaluate((element: HTMLElement) => element.style.setProperty("height", "10px"));
  await form.getByTestId("oriel-pay").evaluate((pay) => pay.scrollIntoView({ block: "center" }));
  // Chromium drops clicks into an iframe for half a second after it has moved.
  await page.waitForTimeout(800);
  const box = await frame.boundingBox();
  if (!box) throw new Error("The page has no iframe");
  await page.mouse.click(box.x + box.width / 2, box.y + 5);
  await expect.poll(() => printed.filter((line) => line.includes("allow-popups"))).toHaveLength(1);
  expect(secret).not.toBe("");
  expect(printed.filter((line) => line.includes(secret))).toEqual([]);
});
