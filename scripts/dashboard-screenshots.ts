/**
 * Takes the screenshots in `docs/dashboard.md` from a running `npm start`: `npm run screenshots:dashboard`. Creates a few
 * payments through the API first, and signs in with the users that `npm start` created.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { chromium, type Page } from "@playwright/test";
import { TOTP, URI } from "otpauth";
import { createClient, OrielError } from "@oriel/sdk";
import { requireChromium } from "./browsers.ts";
import { readLogins } from "./logins.ts";

const dataDir = process.env["ORIEL_DATA_DIR"] || ".oriel";
const port = process.env["ORIEL_PORT"] || 4000;
const dashboard = `http://dashboard.localhost:${port}`;
const demo = readFileSync(join(dataDir, "demo.env"), "utf8");
const oriel = createClient({
  apiUrl: `http://127.0.0.1:${port}`,
  secretKey: /^ORIEL_SECRET_KEY=(.+)$/m.exec(demo)?.[1] ?? "",
  totalTimeoutMs: 15_000,
});
const folder = "docs/images";

for (let n = 0; n < 12; n++)
  await charge(1900 + 700 * n, n % 4 === 2 ? "pm_card_declined_insufficient_funds" : "pm_card_visa", 1223 + n);
const browser = await chromium.launch({ executablePath: requireChromium().path });
const page = await browser.newPage({ viewport: { width: 1280, height: 860 } });
const home = await signIn(page, "merchant");
await take("overview", `${home}/overview`);
await page.goto(`${home}/payments`);
await page.getByRole("table").getByRole("link").first().click();
await take("payment", null);
await take("integrate", `${home}/integrate`);
await take("appearance", `${home}/appearance`, () =>
  page.locator("iframe").contentFrame().getByRole("button", { name: /^Pay/ }).waitFor(),
);
await page.setViewportSize({ width: 390, height: 780 });
await page.emulateMedia({ colorScheme: "dark" });
await take("payments-phone", `${home}/payments`);
await browser.close();

async function charge(amount: number, payment_method_id: string, order: number): Promise<void> {
  const money = { amount, currency: "eur", payment_method_id };
  const { id: decision_id } = await oriel.decisions.create(money);
  await oriel.charges
    .create({ ...money, decision_id, metadata: { order_id: String(order) } })
    .catch((error: unknown) => {
      if (!(error instanceof OrielError)) throw error; // some payments are supposed to be declined
    });
}

/** @returns the base URL of the account's pages */
async function signIn(page: Page, who: string): Promise<string> {
  const login = readLogins(dataDir).find(({ what }) => what === who);
  if (login === undefined) throw new Error(`npm start created no ${who}`);
  const totp = URI.parse(login.uri);
  if (!(totp instanceof TOTP)) throw new Error("Not a TOTP");
  await page.goto(`${dashboard}/sign-in`);
  await page.getByLabel("Email").fill(login.email);
  await page.getByLabel("Password", { exact: true }).fill(login.password);
  await page.getByRole("button", { name: "Sign in", exact: true }).click();
  await page.getByRole("textbox", { name: "Code" }).fill(totp.generate());
  await page.getByRole("button", { name: "Sign in" }).click();
  await page.waitForURL(/\/acct_\w+\/test\//);
  return /^.*\/acct_\w+\/test/.exec(page.url())?.[0] ?? "";
}

/** @param url null captures the current page */
async function take(name: string, url: string | null, settle?: () => Promise<unknown>): Promise<void> {
  if (url !== null) await page.goto(url);
  await page.getByRole("heading", { level: 1 }).waitFor();
  await page.getByRole("status", { name: "Loading" }).waitFor({ state: "detached" });
  await settle?.();
  await page.waitForTimeout(800); // waits until the charts' animations have ended
  await page.screenshot({ path: `${folder}/dashboard-${name}.png` });
  console.log(`${folder}/dashboard-${name}.png`);
}
