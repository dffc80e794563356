/**
 * The questions that merchants open the dashboard with: find an order, see what a customer paid, refund half of it, and
 * see why a payment failed and whether webhooks arrive. Each test takes the shortest path from the start page.
 */
import { expect, test, type Page } from "@playwright/test";
import { cards } from "../checkout.ts";
import { addresses } from "../urls.ts";
import { api, payAsCustomer, startReceiver } from "./shop-payments.ts";
import { expectFineInAll } from "./viewports.ts";
import { request, newMerchant, type Visitor } from "./visitor.ts";

let merchant: Visitor;
let page: Page;
let key: string;

test.describe.configure({ mode: "serial" });

test.beforeAll(async ({ browser }) => {
  page = await (await browser.newContext({ permissions: ["clipboard-read", "clipboard-write"] })).newPage();
  merchant = await newMerchant(page);
  const dataPath = `/data/${merchant.accountId}/test`;
  key = (await request<{ secret_key: string }>(page, "POST", `${dataPath}/keys`, { name: "Server", scope: "full" }))
    .secret_key;
  await request(page, "POST", `${dataPath}/webhook_endpoints`, { url: await startReceiver(200) });
  await request(page, "POST", `${dataPath}/webhook_endpoints`, {
    url: await startReceiver(500, "out of memory", "/broken"),
  });
  const customer = await page.context().newPage();
  const ines = { name: "Ines Costa", email: "ines@buyers.example" };
  const order = (number: string, more: object = {}) =>
    api(key, "/checkout_sessions", {
      amount: 4900,
      currency: "eur",
      description: `Pottery order ${number}`,
      line_items: [{ name: "Cup, glazed", amount: 2450, quantity: 2 }],
      metadata: { order_id: number },
      customer: { ...ines, reference: "C-77" },
      allowed_origins: [addresses.hosts],
      ...more,
    });
  await payAsCustomer(customer, (await order("1233")).embed_url, cards.approved, ines);
  await payAsCustomer(customer, (await order("1234")).embed_url, cards.approved, ines);
  await payAsCustomer(customer, (await order("1235")).embed_url, cards.insufficientFunds, ines);
  const other = { customer: { email: "li@buyers.example" } };
  const small = { ...other, amount: 1200, line_items: [{ name: "Spoon", amount: 1200, quantity: 1 }] };
  await payAsCustomer(customer, (await order("4242", small)).embed_url, cards.approved, ines);
  await payAsCustomer(customer, (await order("1236", other)).embed_url, cards.approved, ines);
  await customer.close();
});
test.afterAll(() => page.context().close());

const testPayment = { amount: 4900, currency: "eur", payment_method_id: "pm_card_visa" };

const openPayments = async () => {
  await page.goto(`${addresses.dashboard}/${merchant.accountId}/test/overview`);
  await page.getByRole("navigation").getByRole("link", { name: "Payments", exact: true }).click();
};
const payments = () => page.getByRole("table", { name: "Payments" });
/** The totals of the payments that were found. Other parts of the page that are still loading have the same role. */
const totals = () => page.getByRole("status").filter({ hasText: "captured" });

test("a new account sees the steps from a key to the first payment", async ({ browser }) => {
  const fresh = await (await browser.newContext()).newPage();
  const { accountId } = await newMerchant(fresh);
  await fresh.goto(`${addresses.dashboard}/${accountId}/test/overview`);
  const steps = fresh.getByRole("region", { name: "Get started" });
  await expect(steps.getByRole("listitem").first()).toContainText("To do: Create a secret key");
  await expectFineInAll(fresh);
  await steps.getByRole("link", { name: "Create key" }).click();
  await fresh.getByRole("button", { name: "Create key" }).click();
  await fresh.getByRole("dialog").getByLabel("Name").fill("Server");
  await fresh.getByRole("dialog").getByRole("button", { name: "Create key" }).click();
  const secret =
    (await fresh
      .getByRole("dialog")
      .getByText(/^oriel_sk_test_/)
      .textContent()) ?? "";
  await fresh.getByRole("button", { name: "I've saved it" }).click();
  await fresh.getByRole("navigation").getByRole("link", { name: "Overview" }).click();
  await expect(steps.getByRole("listitem").first()).toContainText("Done: Create a secret key");
  const { id: decision_id } = await api(secret, "/decisions", testPayment);
  await api(secret, "/charges", { ...testPayment, decision_id });
  await expect(fresh.getByRole("region", { name: "EUR" })).toContainText("€49.00");
  await fresh.context().close();
});

test("a payment's page shows its order, customer, card and amounts, and folds the timeline", async () => {
  await openPayments();
  await payments().getByRole("row", { name: "1234" }).getByRole("link").first().click();
  await expect(page.getByRole("heading", { level: 1, name: "Payment of €49.00" })).toBeVisible();
  const main = page.getByRole("main");
  await expect(main).toContainText("€49.00 captured");
  const order = page.getByRole("region", { name: "Order" });
  for (const text of ["1234", "Pottery order 1234", "Cup, glazed"]) await expect(order).toContainText(text);
  const customer = page.getByRole("region", { name: "Customer" });
  for (const text of ["Ines Costa", "ines@buyers.example", "C-77"]) await expect(customer).toContainText(text);
  await expect(page.getByRole("region", { name: "Payment", exact: true })).toContainText("Visa ending in 4242");
  const wholeTime = /\d:\d\d:\d\d [AP]M \S+\n\d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC$/;
  await expect(page.getByRole("time").first()).toHaveAttribute("title", wholeTime);
  await expect(main.getByText("Checkout session created")).toBeHidden();
  await page.getByText("Technical details").click();
  await expect(main.getByText("Checkout session created")).toBeVisible();
  await expectFineInAll(page);
});

const search = async (text: string) => {
  await page.getByLabel("Search", { exact: true }).fill(text);
  await page.keyboard.press("Enter");
};

test("an order is found by its number", async () => {
  await openPayments();
  for (const text of ["1234", "order 1234", "#1234"]) {
    await search(text);
    await expect(payments().getByRole("row")).toHaveCount(2); // one is the heading
    await expect(payments().getByRole("row").last()).toContainText("Pottery order 1234");
  }
  // Four digits can also be a card's.
  await search("4242");
  await expect(payments().getByRole("row")).toHaveCount(5);
  await page.getByRole("link", { name: "€12.00 captured" }).click();
  await expect(page.getByRole("region", { name: "Order" })).toContainText("Pottery order 4242");
  await openPayments();
  await search("9999");
  await expect(page.getByRole("main")).toContainText("No matching payments");
  await expectFineInAll(page);
});

test("what a customer paid is found by name, email address or reference", async () => {
  await openPayments();
  for (const text of ["ines@buyers.example", "Ines Costa", "c-77"]) {
    await search(text);
    await expect(totals()).toHaveText("3 payments, 2 successful: €98.00 captured");
    await expect(payments().getByRole("row")).toHaveCount(4);
  }
  await expectFineInAll(page);
  await payments().getByRole("link").first().click();
  await page.getByRole("link", { name: "All payments of this customer" }).click();
  await expect(totals()).toHaveText("3 payments, 2 successful: €98.00 captured");
});

test("payments are found by the last four digits and by amount, and a card number isn't sent", async () => {
  await openPayments();
  await search("9995");
  await expect(payments().getByRole("row").last()).toContainText("Pottery order 1235");
  await search("€49.00");
  await expect(totals()).toHaveText("4 payments, 3 successful: €147.00 captured");
  await search("4242 4242 4242 4242");
  await expect(page.getByText("Enter only the last four digits of a card.")).toBeVisible();
  expect(page.url()).not.toContain("4242");
});

test("IDs can be copied and lead to what they name", async () => {
  await openPayments();
  await payments().getByRole("row", { name: "1234" }).getByRole("link").first().click();
  await page.getByRole("button", { name: "Copy payment ID" }).first().click();
  const copied = await page.evaluate(() => navigator.clipboard.readText());
  expect(page.url()).toContain(copied);
  await page.getByText("Technical details").click();
  await page.getByRole("link", { name: /^evt_/ }).first().click();
  await expect(page.getByRole("heading", { level: 1, name: "payment.succeeded" })).toBeVisible();
  await page.getByRole("link", { name: copied }).click();
  await expect(page).toHaveURL(new RegExp(`/payments/${copied}$`));
});

test("a failed payment says why and what to do", async () => {
  await openPayments();
  await page.getByLabel("Status").selectOption("failed");
  await page.getByRole("button", { name: "Search" }).click();
  await expect(payments().getByRole("row")).toHaveCount(2);
  await payments().getByRole("link").first().click();
  const alert = page.getByRole("alert");
  await expect(alert).toContainText("Failed: insufficient funds");
  await expect(alert).toContainText("The customer can use another card or try again another day.");
  await expect(page.getByRole("main")).toContainText("€49.00 not charged");
  await expectFineInAll(page);
});

test("half of a payment is refunded with two clicks", async () => {
  await openPayments();
  await payments().getByRole("link", { name: "1234", exact: true }).click();
  await page.getByRole("button", { name: "Refund" }).click();
  const dialog = page.getByRole("dialog", { name: "Refund payment" });
  await expect(dialog).toContainText("Order 1234, ines@buyers.example");
  await dialog.getByRole("button", { name: "Half: €24.50" }).click();
  await expect(dialog.getByLabel("Amount (EUR)")).toHaveValue("24.50");
  await dialog.getByRole("button", { name: "Refund €24.50" }).click();
  await expect(dialog).toHaveCount(0);
  await expect(page.getByText("Refund created: €24.50")).toBeVisible();
  await expect(page.getByRole("main")).toContainText("€49.00 captured, €24.50 refunded");
  await expect(page.getByRole("table", { name: "Refunds" })).toContainText("€24.50");
  await page.getByRole("button", { name: "Refund" }).click();
  await expect(dialog.getByRole("button", { name: "Remaining: €24.50" })).toBeVisible();
  await expect(dialog.getByRole("button", { name: /^Half/ })).toHaveCount(0);
  await page.keyboard.press("Escape");
});

test("the overview and the webhooks page say which endpoint fails and what to do", async () => {
  const health = page.getByRole("main").getByRole("status", { name: "1 of 2 webhook endpoints is failing" });
  await page.goto(`${addresses.dashboard}/${merchant.accountId}/test/overview`);
  await expect(health).toBeVisible();
  await expectFineInAll(page);
  await page.getByRole("navigation").getByRole("link", { name: "Webhooks" }).click();
  await expect(health).toBeVisible();
  await expect(health).toContainText(/\/broken: HTTP 500 since .*Find the error in your server's log/);
  await expectFineInAll(page);
  await health.getByRole("link").click();
  await expect(page.getByRole("alert")).toContainText("Deliveries are failing");
  await expectFineInAll(page);
});
