/**
 * An account that an operator connects to its own merchant account at Adyen (a simulator): what its team sees of
 * outcomes that arrive later, of disputes and of what needs attention. Everything happens through the console, the API
 * and Adyen's notifications.
 */
import { expect, test, type Page } from "@playwright/test";
import { addresses } from "../urls.ts";
import { adyen, startAdyenSimulator, type AdyenSimulator } from "./adyen-simulator.ts";
import { api } from "./shop-payments.ts";
import { expectFineInAll } from "./viewports.ts";
import { request, demoOperator, newMerchant, type Visitor } from "./visitor.ts";

test.describe.configure({ mode: "serial" });

let merchant: Visitor;
let page: Page;
let operatorPage: Page;
let key: string;
let simulator: AdyenSimulator;
/** Another merchant account of the company. */
let other: AdyenSimulator;
/** Outcomes wait for `decide`, however slow the machine is. */
const untilDecided = { outcomeMs: 86_400_000, notificationMs: 100 };
/** The payment that is captured, refunded and disputed. */
let chargeId: string;

test.beforeAll(async ({ browser }) => {
  page = await (await browser.newContext()).newPage();
  operatorPage = await (await browser.newContext()).newPage();
  merchant = await newMerchant(page);
  const path = `/data/${merchant.accountId}/test/keys`;
  key = (await request<{ secret_key: string }>(page, "POST", path, { name: "Server", scope: "full" })).secret_key;
  simulator = await startAdyenSimulator();
  other = await startAdyenSimulator("KilnAndClayNew");
});
test.afterAll(async () => {
  await page.context().close();
  await operatorPage.context().close();
  await simulator.close();
  await other.close();
});

const openPage = async (name: string) => {
  await page.goto(`${addresses.dashboard}/${merchant.accountId}/test/${name}`);
  await expect(page.getByRole("heading", { level: 1 })).toBeVisible();
};
const navigation = (name: string | RegExp) =>
  page.getByRole("navigation", { name: "Pages" }).getByRole("link", { name });
const section = (name: string) => page.getByRole("region", { name, exact: true });

/** Nothing may overflow on the narrowest phones either. */
async function expectFineOnPhones(): Promise<void> {
  await expectFineInAll(page);
  await page.setViewportSize({ width: 360, height: 780 });
  await expect
    .poll(() => page.evaluate(() => document.documentElement.scrollWidth - innerWidth))
    .toBeLessThanOrEqual(0);
  await page.setViewportSize({ width: 1280, height: 800 });
}

/** Reloads the page until the acquirer's notification has arrived. */
async function expectAfterNotification(check: () => Promise<void>): Promise<void> {
  await expect(async () => {
    await page.reload();
    await check();
  }).toPass();
}

test("the operator connects the account to Adyen, and sees the URL for notifications but no key", async () => {
  const operator = demoOperator();
  await operatorPage.goto(`${addresses.dashboard}/sign-in`);
  await operatorPage.getByLabel("Email").fill(operator.email);
  await operatorPage.getByLabel("Password", { exact: true }).fill(operator.password);
  await operatorPage.getByRole("button", { name: "Sign in", exact: true }).click();
  await operatorPage.getByRole("textbox", { name: "Code" }).fill(operator.code());
  await operatorPage.getByRole("button", { name: "Sign in" }).click();
  await expect(operatorPage.getByRole("heading", { level: 1, name: "Applications" })).toBeVisible();

  await operatorPage.goto(`${addresses.dashboard}/console/accounts/${merchant.accountId}`);
  const accounts = operatorPage.getByRole("region", { name: "Acquirer accounts" });
  await expect(accounts.getByText("Not connected")).toHaveCount(2);
  await accounts.getByRole("button", { name: "Connect Adyen in test mode" }).click();
  const dialog = operatorPage.getByRole("dialog");
  await dialog.getByLabel("Merchant account").fill(adyen.merchantAccount);
  await dialog.getByLabel("API URL").fill("https://checkout-test.adyen.com");
  await dialog.getByLabel("API key").fill(adyen.apiKey);
  await dialog.getByLabel("HMAC key", { exact: true }).fill(adyen.hmacKey);
  await dialog.getByRole("button", { name: "Connect" }).click();
  await expect(dialog.getByText(/must end with the version/)).toBeVisible();
  await dialog.getByLabel("API URL").fill("https://checkout-test.adyen.com.example/v71");
  await dialog.getByRole("button", { name: "Connect" }).click();
  await expect(dialog.getByText(/isn't a host of Adyen's test environment/)).toBeVisible();
  await dialog.getByLabel("API URL").fill(other.apiUrl);
  await dialog.getByRole("button", { name: "Connect" }).click();
  await expect(dialog.getByText(/Adyen has no such merchant account/)).toBeVisible();
  await expectFineInAll(operatorPage);
  await dialog.getByLabel("API URL").fill(simulator.apiUrl);
  await dialog.getByRole("button", { name: "Connect" }).click();
  await expect(dialog).toHaveCount(0);

  const url = accounts.getByText(/\/acquirers\/aa_\w+\/notifications$/);
  await expect(url).toBeVisible();
  await expect(accounts.getByText("Not connected")).toHaveCount(1);
  const shown = await operatorPage.content();
  expect(shown).not.toContain(adyen.apiKey);
  expect(shown).not.toContain(adyen.hmacKey);
  await expectFineInAll(operatorPage);
  simulator.notificationUrl = (await url.textContent()) ?? "";
});

test("a capture is pending until the acquirer confirms it", async () => {
  await simulator.setDelays(untilDecided);
  const money = { amount: 4900, currency: "eur", payment_method_id: "pm_card_visa" };
  const { id: decision_id } = await api(key, "/decisions", money);
  const metadata = { order_id: "1234" };
  chargeId = (await api(key, "/charges", { ...money, decision_id, capture_method: "manual", metadata })).id;
  await openPage(`payments/${chargeId}`);
  await page.getByRole("button", { name: "Capture", exact: true }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Capture €49.00" }).click();
  await expect(page.getByText("Capture pending: €49.00")).toBeVisible();
  await expect(page.getByRole("alert", { name: "Capture pending", exact: true })).toContainText(
    "confirms it within days",
  );
  await expect(page.getByRole("button", { name: "Cancel", exact: true })).toHaveCount(0);
  await expectFineInAll(page);
  await simulator.decide();
  await expectAfterNotification(() => expect(page.getByText("€49.00 captured")).toBeVisible({ timeout: 2_000 }));
  await expect(
    page.getByRole("table", { name: "Movements at the acquirer" }).getByText("Capture", { exact: true }),
  ).toBeVisible();
});

test("a refund is pending, and the rest can be refunded meanwhile", async () => {
  await openPage(`payments/${chargeId}`);
  await page.getByRole("button", { name: "Refund", exact: true }).click();
  const dialog = page.getByRole("dialog", { name: "Refund payment" });
  await dialog.getByLabel("Amount").fill("19.00");
  await dialog.getByRole("button", { name: "Refund €19.00" }).click();
  await expect(page.getByText("Refund pending: €19.00")).toBeVisible();
  await expect(section("Refunds").getByText("Pending", { exact: true })).toBeVisible();
  await page.getByRole("button", { name: "Refund", exact: true }).click();
  await expect(
    dialog.getByText("You can refund up to €30.00").or(dialog.getByText("€30.00 of up to €30.00")),
  ).toBeVisible();
  await page.keyboard.press("Escape");
  await page.getByText("Technical details").click();
  await expectFineOnPhones();
  await simulator.decide();
  await expectAfterNotification(() =>
    expect(section("Refunds").getByText("Succeeded", { exact: true })).toBeVisible({ timeout: 2_000 }),
  );
});

test("a refund that fails later needs attention", async () => {
  const detail = await request<{ timeline: { refund?: object; attempt?: { acquirer_id: string } }[] }>(
    page,
    "GET",
    `/data/${merchant.accountId}/test/payments/${chargeId}`,
  );
  const refund = detail.timeline.find((entry) => entry.refund !== undefined);
  await simulator.fail(refund?.attempt?.acquirer_id ?? "", "REFUND_FAILED");
  await simulator.decide();
  await openPage("attention");
  await expectAfterNotification(() => expect(navigation(/^Needs attention.*1 open/)).toBeVisible({ timeout: 2_000 }));
  await expect(section("Open").getByRole("article")).toHaveCount(1);
  const item = page.getByRole("article", { name: "Refund failed after it had succeeded" });
  await expect(item).toContainText("€19.00");
  await expectFineOnPhones();
  await item.getByRole("link", { name: chargeId }).click();
  await expect(section("Needs attention").getByRole("article")).toContainText("What to do");
});

test("a member finds the item from the overview, and resolves it", async () => {
  await openPage("overview");
  await page.getByRole("link", { name: "1 item to check at your acquirer" }).click();
  const item = section("Open").getByRole("article");
  await item.getByRole("button", { name: "Mark as resolved" }).click();
  await expect(page.getByText("Marked as resolved")).toBeVisible();
  await expect(page.getByRole("heading", { level: 1 })).toBeFocused();
  await expect(section("Open").getByText("Nothing needs your attention.")).toBeVisible();
  await expect(section("Resolved").getByRole("article")).toContainText(merchant.email);
  await expect(navigation("Needs attention")).toHaveText("Needs attention");
  await expectFineOnPhones();
});

test("a dispute is listed with its deadline, and its payment says what to do", async () => {
  const detail = await request<{ timeline: { type: string; attempt?: { acquirer_id: string } }[] }>(
    page,
    "GET",
    `/data/${merchant.accountId}/test/payments/${chargeId}`,
  );
  const paymentPspReference = detail.timeline.find(({ type }) => type === "authorization")?.attempt?.acquirer_id ?? "";
  const opened = { paymentPspReference, eventCode: "NOTIFICATION_OF_CHARGEBACK" };
  const disputePspReference = await simulator.dispute(opened);
  await simulator.dispute({ paymentPspReference, eventCode: "CHARGEBACK", disputePspReference });
  await openPage("disputes");
  const table = page.getByRole("table", { name: "Disputes" });
  await expectAfterNotification(() => expect(navigation(/^Disputes.*1 to respond to/)).toBeVisible({ timeout: 2_000 }));
  await expect(table.getByText("Needs response")).toBeVisible();
  await expect(table.getByText(disputePspReference)).toBeVisible();
  await expectFineOnPhones();
  await page.getByLabel("Status").selectOption("Won");
  await page.getByRole("button", { name: "Search" }).click();
  await expect(page.getByText("No matching disputes.")).toBeVisible();
  await page.getByRole("button", { name: "Clear filters" }).click();

  await table.getByRole("link", { name: "€49.00" }).click();
  await expect(section("Dispute")).toContainText("Submit evidence at your acquirer");
  await expect(section("Dispute").getByText(disputePspReference)).toBeVisible();
  const movements = page.getByRole("table", { name: "Movements at the acquirer" });
  await expectAfterNotification(() => expect(movements.getByText("Chargeback")).toBeVisible({ timeout: 2_000 }));
  await expect(movements.getByRole("row").last()).toContainText("-€49.00");
  await expectFineOnPhones();
  await page.getByRole("button", { name: "Refund", exact: true }).click();
  await expect(page.getByRole("dialog")).toContainText("This payment is disputed.");
});

test("the operator connects another merchant account, and changes the keys of the replaced one", async () => {
  const accounts = operatorPage.getByRole("region", { name: "Acquirer accounts" });
  const dialog = operatorPage.getByRole("dialog");
  const enterKeys = async () => {
    await dialog.getByLabel("API key").fill(adyen.apiKey);
    await dialog.getByLabel("HMAC key", { exact: true }).fill(adyen.hmacKey);
    await dialog.getByRole("button", { name: "Save" }).click();
    await expect(dialog).toHaveCount(0);
  };
  await accounts.getByRole("button", { name: "Change connection in test mode" }).click();
  await dialog.getByLabel("Merchant account").fill("KilnAndClayNew");
  await expect(dialog.getByText("Enter the keys of the new merchant account.")).toBeVisible();
  await dialog.getByLabel("API URL").fill(other.apiUrl);
  await enterKeys();
  await accounts.getByRole("button", { name: /^Change connection of aa_/ }).click();
  await expect(dialog.getByLabel("Merchant account")).toHaveValue(adyen.merchantAccount);
  await expect(dialog.getByLabel("Merchant account")).not.toBeEditable();
  await expectFineInAll(operatorPage);
  await enterKeys();
  await expect(operatorPage.getByText("Connection changed")).toBeVisible();
  const replaced = accounts.getByRole("table", { name: "Replaced acquirer accounts" });
  await expect(replaced.getByText(adyen.merchantAccount, { exact: true })).toBeVisible();
  await expect(accounts.getByText("KilnAndClayNew")).toHaveCount(1);
});
