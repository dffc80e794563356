/** Takes the pictures of the README and the guides from a running `npm start`. */
import { mkdirSync } from "node:fs";
import { chromium, type Browser } from "@playwright/test";
import { ensureChromium } from "./browsers.ts";

const shop = `http://shop.localhost:${process.env["SHOP_PORT"] || 4242}`;
const folder = "docs/images";

mkdirSync(folder, { recursive: true });
const browser = await chromium.launch({ executablePath: ensureChromium().path, args: ["--force-device-scale-factor=2"] });
await picture(browser, "checkout", { width: 1280, height: 640 }, "4242424242424242");
await picture(browser, "challenge", { width: 390, height: 844 }, "4000002760003184");
await browser.close();
console.log(`Pictures are in ${folder}`);

async function picture(
  from: Browser,
  name: "checkout" | "challenge",
  viewport: { width: number; height: number },
  number: string,
): Promise<void> {
  const page = await from.newPage({ viewport, deviceScaleFactor: 2 });
  await page.goto(`${shop}/script`);
  const frame = page.locator(".checkout iframe").contentFrame();
  await frame.getByRole("button", { name: /^Pay/ }).waitFor();
  await frame.getByLabel("Card number", { exact: true }).pressSequentially(number);
  await frame.getByLabel("Expiry", { exact: true }).pressSequentially("1230");
  await frame.getByLabel("CVC", { exact: true }).pressSequentially("123");
  if (name === "challenge") {
    await frame.getByRole("button", { name: /^Pay/ }).click();
    await frame.getByText("Confirm with your bank").first().waitFor();
    await page.locator(".checkout").scrollIntoViewIfNeeded();
    await page.waitForTimeout(1_500); // the bank's page, two frames further down
  }
  await page.screenshot({ path: `${folder}/${name}.png` });
  await page.close();
}
