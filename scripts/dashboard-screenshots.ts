/**
 * Takes the screenshots in `docs/dashboard.md` from a running `npm start`: `npm run screenshots:dashboard`. Creates a few
 * payments through the API first, and signs in with the users that `npm start` created. Disputes are those of another
 * account, which is connected to a simulator of Adyen in this process.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { chromium, type Page } from "@playwright/test";
import { TOTP, URI } from "otpauth";
import { createClient, OrielError } from "@oriel/sdk";
import { requireChromium } from "./browsers.ts";
import { readLogins } from "./logins.ts";

const dataDir = process.env["ORIEL_DATA_DIR"] || ".oriel";
const port = process.env["ORIEL_PORT"] || "4000";
process.env["ORIEL_E2E_DATA_DIR"] = dataDir;
process.env["ORIEL_E2E_PORT"] = port;
const { adyen, startAdyenSimulator } = await import("../demo/e2e/dashboard/adyen-simulator.ts");
const { api } = await import("../demo/e2e/dashboard/shop-payments.ts");
const { newMerchant, request } = await import("../demo/e2e/dashboard/visitor.ts");
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
await signIn(page, "merchant");
await page.waitForURL(/\/acct_\w+\/test\//);
const home = /^.*\/acct_\w+\/test/.exec(page.url())?.[0] ?? "";
await take("overview", `${home}/overview`);
await page.goto(`${home}/payments`);
await page.getByRole("table").getByRole("link").first().click();
await take("payment", null);
await take("integrate", `${home}/integrate`);
await take("appearance", `${home}/appearance`, {
  settle: () => page.locator("iframe").contentFrame().getByRole("button", { name: /^Pay/ }).waitFor(),
});
await takeDisputes();
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

/** Connects a new account to the simulator, and takes the pages of a disputed payment and of what needs attention. */
async function takeDisputes(): Promise<void> {
  const shop = await (await browser.newContext({ viewport: { width: 1280, height: 860 } })).newPage();
  const operator = await (await browser.newContext()).newPage();
  const { accountId } = await newMerchant(shop, { accountName: "Kiln & Clay" });
  const dataPath = `/data/${accountId}/test`;
  const { secret_key: key } = await request<{ secret_key: string }>(shop, "POST", `${dataPath}/keys`, {
    name: "Server",
    scope: "full",
  });
  await signIn(operator, "operator");
  await operator.waitForURL(/\/console\//);
  const simulator = await startAdyenSimulator();
  const path = `/operator/accounts/${accountId}/acquirers`;
  const { data } = await request<{ data: { notification_url: string }[] }>(operator, "POST", path, {
    livemode: false,
    connector: "adyen",
    settings: { merchant_account: adyen.merchantAccount, api_url: simulator.apiUrl },
    credentials: { api_key: adyen.apiKey, hmac_keys: [adyen.hmacKey] },
  });
  simulator.notificationUrl = data[0]?.notification_url ?? "";
  await simulator.setDelays({ outcomeMs: 100, notificationMs: 100 });

  const pay = async (amount: number, order: string, capture_method = "automatic") => {
    const money = { amount, currency: "eur", payment_method_id: "pm_card_visa" };
    const { id: decision_id } = await api(key, "/decisions", money);
    return (await api(key, "/charges", { ...money, decision_id, capture_method, metadata: { order_id: order } })).id;
  };
  /** The acquirer's ID of an attempt. */
  const acquirerId = async (id: string, type: "authorization" | "capture" | "refund"): Promise<string> => {
    const { timeline } = await request<{ timeline: { type: string; attempt?: { acquirer_id: string } }[] }>(
      shop,
      "GET",
      `${dataPath}/payments/${id}`,
    );
    return timeline.find((entry) => entry.type === type)?.attempt?.acquirer_id ?? "";
  };
  const disputed = await pay(4900, "1301");
  await api(key, "/refunds", { charge_id: disputed, amount: 1000, reason: "Chipped cup" });
  const refunded = await pay(12_900, "1302");
  await api(key, "/refunds", { charge_id: refunded, amount: 12_900 });
  const captured = await pay(8900, "1303", "manual");
  await api(key, `/charges/${captured}/capture`, {});
  await shop.waitForTimeout(3_000); // the acquirer confirms the captures and refunds

  await simulator.fail(await acquirerId(captured, "capture"), "CAPTURE_FAILED");
  await simulator.fail(await acquirerId(refunded, "refund"), "REFUND_FAILED");
  const paymentPspReference = await acquirerId(disputed, "authorization");
  const opened = { paymentPspReference, eventCode: "NOTIFICATION_OF_CHARGEBACK" };
  const disputePspReference = await simulator.dispute(opened);
  await simulator.dispute({ paymentPspReference, eventCode: "CHARGEBACK", disputePspReference });
  await shop.waitForTimeout(3_000); // the notifications arrive
  await take("attention", `${dashboard}/${accountId}/test/attention`, { on: shop });
  await take("dispute", `${dashboard}/${accountId}/test/payments/${disputed}`, { on: shop });
  await simulator.close();
}

async function signIn(page: Page, who: string): Promise<void> {
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
}

/** @param url null captures the current page */
async function take(
  name: string,
  url: string | null,
  { on = page, settle = async () => {} }: { on?: Page; settle?: () => Promise<unknown> } = {},
): Promise<void> {
  if (url !== null) await on.goto(url);
  await on.getByRole("heading", { level: 1 }).waitFor();
  for (const part of await on.getByRole("status", { name: "Loading" }).all()) await part.waitFor({ state: "detached" });
  await settle();
  await on.waitForTimeout(800); // waits until the charts' animations have ended
  await on.screenshot({ path: `${folder}/dashboard-${name}.png` });
  console.log(`${folder}/dashboard-${name}.png`);
}
