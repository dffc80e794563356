/**
 * A merchant's path through the dashboard, from signing up to getting a live key and finally being suspended. The
 * merchant and the operator each have a browser. The test is the merchant's server: it receives webhooks and calls the
 * API with the keys from the dashboard. Names, the application and the operator's messages contain markup, which both
 * must see as text.
 */
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, test, type Browser, type BrowserContext, type Page } from "@playwright/test";
import { webhooks as signed } from "@oriel/sdk";
import { cards, pay } from "../checkout.ts";
import { addresses } from "../urls.ts";
import { consoleDialogs, expectDialog, liveKeyDialog } from "./dialogs.ts";
import { emptyPage } from "./empty-page.ts";
import { hostile } from "./hostile-merchant.ts";
import { expectFine, expectFineInAll, applyViewport, viewports } from "./viewports.ts";
import { codesOf, demoOperator, emailedLink, newEmail, password } from "./visitor.ts";

test.describe.configure({ mode: "serial" });

interface Browsing {
  context: BrowserContext;
  page: Page;
}

const { markup, script, address, template, formula } = hostile;
const business = `Loom & Daughters ${markup}`;
const person = `Robin ${markup}`;
const question = `Which blankets? ${markup}`;
/** The text values of the application, by field label. */
const words = [
  ["Legal name", `${business} Ltd`],
  ["Legal form", script],
  ["Registration number", formula],
  ["Address", template],
  ["Website", `https://loom.example/"><img/src=x>`],
  ["Products and customers", `Blankets, ${address}`],
  ["Account holder", markup],
] as const;
const register = { name: `Register "><img src=x>.pdf`, mimeType: "application/pdf", buffer: emptyPage };

const email = newEmail("owner");
let operator: ReturnType<typeof demoOperator>;
let merchant: Browsing;
let operatorPage: Browsing;
let code: () => string;
let server: Server;
const webhooks: { body: string; headers: Record<string, string> }[] = [];
/** The merchant's secrets, as shown by the pages. */
let testKey = "";
let liveKey = "";
let signingSecret = "";

async function open(browser: Browser): Promise<Browsing> {
  const context = await browser.newContext();
  context.setDefaultTimeout(20_000); // shorter than the test's timeout, so that errors name the missing element
  return { context, page: await context.newPage() };
}

test.beforeAll(async ({ browser }) => {
  operator = demoOperator();
  merchant = await open(browser);
  operatorPage = await open(browser);
  server = createServer((request, response) => {
    let body = "";
    request.setEncoding("utf8").on("data", (part: string) => (body += part));
    request.on("end", () => {
      webhooks.push({ body, headers: request.headers as Record<string, string> }); // no header occurs twice
      response.writeHead(200).end();
    });
  });
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
});
test.afterAll(async () => {
  await merchant.context.close();
  await operatorPage.context.close();
  server.close();
});

/** A request from the merchant's server. */
async function api(
  key: string,
  method: string,
  path: string,
  body?: object,
): Promise<{ status: number; code: string | undefined }> {
  const response = await fetch(`${addresses.api}/api/v1${path}`, {
    method,
    headers: { authorization: `Bearer ${key}`, ...(body && { "content-type": "application/json" }) },
    ...(body && { body: JSON.stringify(body) }),
  });
  const parsed = (await response.json()) as { error?: { code: string } };
  return { status: response.status, code: parsed.error?.code };
}

const heading = (page: Page, name: string | RegExp) =>
  expect(page.getByRole("heading", { level: 1, name })).toBeVisible();

async function goTo(page: Page, name: string): Promise<void> {
  await page.getByRole("navigation", { name: "Pages" }).getByRole("link", { name, exact: true }).click();
}

test("the merchant signs up, confirms the email address and sets up a second factor", async () => {
  const { page } = merchant;
  await page.goto(`${addresses.dashboard}/sign-up`);
  await page.getByLabel("Your name").fill(person);
  await page.getByLabel("Business name").fill(business);
  await page.getByLabel("Email").fill(email);
  await page.getByLabel("Password", { exact: true }).fill(password);
  await page.getByRole("button", { name: "Sign up" }).click();
  await heading(page, "Check your email");

  await page.goto(await emailedLink(email, "verify-email"));
  await page.getByRole("button", { name: "Confirm" }).click();
  await page.getByRole("link", { name: "Sign in" }).click();
  await page.getByLabel("Email").fill(email);
  await page.getByLabel("Password", { exact: true }).fill(password);
  await page.getByRole("button", { name: "Sign in", exact: true }).click();

  await heading(page, "Set up two-factor authentication");
  await page.getByLabel("Your password").fill(password);
  await page.getByRole("button", { name: "Continue" }).click();
  const secret = await page.locator("code", { hasText: /^[A-Z2-7]{32,}=*$/ }).textContent();
  code = codesOf(`otpauth://totp/Oriel:${email}?secret=${secret?.replaceAll("=", "")}&issuer=Oriel`);
  await page.getByLabel("I've saved my recovery codes").check();
  await page.getByRole("textbox", { name: "Code" }).fill(code());
  await page.getByRole("button", { name: "Finish" }).click();
  await heading(page, /Overview|Integration/);
});

test("the merchant creates a first key, which is shown once", async () => {
  const { page } = merchant;
  await goTo(page, "API keys");
  await page.getByRole("button", { name: "Create key" }).click();
  await page.getByRole("dialog").getByLabel("Name").fill("The shop's server");
  await page.getByRole("dialog").getByRole("button", { name: "Create key" }).click();
  const shown = page.getByRole("dialog").getByText(/^oriel_sk_test_/);
  testKey = (await shown.textContent()) ?? "";
  await page.getByRole("dialog").getByRole("button", { name: "I've saved it" }).click();
  await expect(page.getByText(testKey)).toHaveCount(0);
  expect(await page.content()).not.toContain(testKey);
  expect(await api(testKey, "GET", "/charges")).toEqual({ status: 200, code: undefined });
});

test("the snippets contain the account's own URLs", async () => {
  const { page } = merchant;
  await goTo(page, "Integration");
  await expect(page.getByText(`apiUrl: "${addresses.api}"`)).toBeVisible();
  await page.getByRole("tab", { name: /script/i }).click();
  await expect(page.getByText(`${addresses.checkout}/embed/v1/oriel.js`).first()).toBeVisible();
  expect(await page.content()).not.toContain(testKey);
});

test("the merchant adds a webhook endpoint and pays with a test card in the dashboard", async () => {
  const { page } = merchant;
  await goTo(page, "Webhooks");
  await page.getByRole("button", { name: "Add endpoint" }).click();
  // This is a TCP server, so its address is an object.
  await page.getByLabel("Endpoint URL").fill(`http://127.0.0.1:${(server.address() as AddressInfo).port}/hooks`);
  await page.getByRole("dialog").getByRole("button", { name: "Add endpoint" }).click();
  signingSecret =
    (await page
      .getByRole("dialog")
      .getByText(/^whsec_/)
      .textContent()) ?? "";
  await page.getByRole("dialog").getByRole("button", { name: "Close" }).last().click();

  await goTo(page, "Integration");
  await page.getByRole("button", { name: "Open checkout" }).click();
  await pay(page.locator("iframe").contentFrame(), cards.approved);
  await expect.poll(() => webhooks.length, { timeout: 30_000 }).toBeGreaterThan(0);
  const [hook] = webhooks;
  const event = signed.verify(hook?.body ?? "", hook?.headers ?? {}, signingSecret);
  expect(event.type).toBe("payment.succeeded");
  await expect(page.getByText("All steps are done in test mode.")).toBeVisible({ timeout: 30_000 });
});

test("the merchant finds the payment with its timeline and refunds part of it", async () => {
  const { page } = merchant;
  await goTo(page, "Payments");
  await page.getByRole("table").getByRole("link").first().click();
  await heading(page, /^Payment of/);
  await page.getByText("Technical details").click();
  await expect(page.getByText("payment.succeeded")).toBeVisible();
  await page.getByRole("button", { name: "Refund" }).click();
  await page
    .getByRole("dialog")
    .getByLabel(/Amount/)
    .fill("1.00");
  await page
    .getByRole("dialog")
    .getByRole("button", { name: /Refund/ })
    .click();
  await expect(page.getByText("refund.succeeded")).toBeVisible({ timeout: 20_000 });
});

test("the merchant applies for live mode", async () => {
  const { page } = merchant;
  await goTo(page, "Live mode");
  await page.getByRole("button", { name: "Start application" }).click();
  for (const [label, text] of [
    ...words,
    ["Expected monthly volume", "12000"],
    ["Average payment", "49"],
    ["Largest payment", "490"],
    ["IBAN", "DE89370400440532013000"],
  ] as const)
    await page.getByRole("textbox", { name: label, exact: true }).fill(text);
  await choose(page, "Country", "Germany");
  await choose(page, "Merchant category code", "5399");
  await choose(page, "Currency", "EUR");
  await page.getByLabel("Name", { exact: true }).fill(person);
  await page.getByLabel("Date of birth").fill("1980-02-29");
  await page.getByLabel("Share (%)").fill("100");
  await choose(page, "Country of residence", "Germany");
  await page.getByRole("button", { name: "Submit" }).click();
  const gap = page.getByRole("alert").getByRole("button", { name: "Documents" });
  await expect(gap).toBeVisible();
  await expectFineInAll(page);
  await page.getByRole("region", { name: "Documents" }).locator("input[type=file]").setInputFiles(register);
  await expect(page.getByRole("link", { name: register.name })).toBeVisible();
  await expect(gap).toHaveCount(0);
  await page.getByRole("button", { name: "Submit" }).click();
  await expect(page.getByText("Submitted", { exact: true }).first()).toBeVisible();
  await expectFineInAll(page);
});

/**
 * Chooses an option of a field with suggestions. The suggestions close when the page scrolls, which a click can cause,
 * so this retries.
 */
async function choose(page: Page, label: string, text: string): Promise<void> {
  const field = page.getByRole("combobox", { name: label, exact: true });
  const suggestion = page.getByRole("option", { name: new RegExp(text) }).first();
  await expect(async () => {
    await field.fill("");
    await field.fill(text);
    await suggestion.click({ timeout: 3000 });
  }).toPass();
}

test("the operator signs in, starts the review and requests more information", async () => {
  const { page } = operatorPage;
  await page.goto(`${addresses.dashboard}/sign-in`);
  await page.getByLabel("Email").fill(operator.email);
  await page.getByLabel("Password", { exact: true }).fill(operator.password);
  await page.getByRole("button", { name: "Sign in", exact: true }).click();
  await heading(page, "Two-factor authentication");
  await expectFineInAll(page);
  await page.getByRole("textbox", { name: "Code" }).fill(operator.code());
  await page.getByRole("button", { name: "Sign in" }).click();
  await heading(page, "Applications");
  await page.getByRole("link", { name: business }).click();
  await heading(page, `Application of ${business}`);
  for (const text of [...words.map(([, text]) => text), person, register.name])
    await expect(page.getByRole("main").getByText(text, { exact: true }).first()).toBeVisible();
  await expectFineInAll(page);
  await page.getByRole("button", { name: "Start review" }).click();
  await page.getByLabel("Request information").check();
  await expectFineInAll(page);
  await merchant.page.reload();
  await expect(merchant.page.getByText("In review", { exact: true }).first()).toBeVisible();
  await expectFineInAll(merchant.page);
  await page.getByLabel("Reason").fill(question);
  await page.getByRole("button", { name: "Request information" }).click();
  await expect(page.getByText("Waiting for more information.")).toBeVisible();
});

test("the merchant reads the request and responds, and the operator approves", async () => {
  const { page } = merchant;
  await page.reload();
  await expect(page.getByText(question).first()).toBeVisible();
  await expectFineInAll(page);
  await page.getByLabel("Products and customers").fill("Woven blankets of wool, to people who are cold.");
  await page.getByRole("button", { name: "Submit" }).click();
  await expect(page.getByText("Submitted", { exact: true }).first()).toBeVisible();

  await operatorPage.page.reload();
  await operatorPage.page.getByRole("button", { name: "Start review" }).click();
  await operatorPage.page.getByLabel("Approve").check();
  await operatorPage.page.getByRole("button", { name: "Approve" }).click();
  await expect(operatorPage.page.getByText("This account can use live mode.")).toBeVisible();
  await page.reload();
  await expect(page.getByText("Approved", { exact: true }).first()).toBeVisible();
  await expectFineInAll(page);
});

test("the mode bar and the mode switch show the current mode", async () => {
  const { page } = merchant;
  const modes = page.getByRole("navigation", { name: "Mode" });
  const bar = (name: string) => page.getByRole("note", { name, exact: true });
  await expect(bar("Test mode")).toHaveText("Test mode: no real money moves");
  await expect(modes.getByRole("link", { name: "Test" })).toHaveAttribute("aria-current", "true");
  await modes.getByRole("link", { name: "Live" }).click();
  for (const name of ["Overview", "Integration", "API keys"]) {
    await goTo(page, name);
    await heading(page, name);
    await expect(bar("Live mode")).toHaveText("LIVE MODE: real customers, real money");
    await expect(bar("Test mode")).toHaveCount(0);
    await expect(modes.getByRole("link", { name: "Live" })).toHaveAttribute("aria-current", "true");
    await expectFineInAll(page);
  }
});

test("the merchant creates a live key, which is refused while the service takes no live payments", async () => {
  const { page } = merchant;
  await expectDialog(page, liveKeyDialog);
  await page.getByRole("button", { name: "Create key" }).click();
  await page.getByRole("dialog").getByLabel("Name").fill("The shop's server");
  await page.getByRole("dialog").getByRole("button", { name: "Create key" }).click();
  liveKey =
    (await page
      .getByRole("dialog")
      .getByText(/^oriel_sk_live_/)
      .textContent()) ?? "";
  await page.getByRole("dialog").getByRole("button", { name: "I've saved it" }).click();
  const session = { amount: 4900, currency: "eur" };
  expect(await api(liveKey, "POST", "/checkout_sessions", session)).toEqual({
    status: 503,
    code: "live_mode_unavailable",
  });
});

test("the console's dialogs are accessible and return the focus", async () => {
  await operatorPage.page
    .getByRole("link", { name: /^acct_|Loom & Daughters/ })
    .first()
    .click();
  for (const dialog of consoleDialogs) await expectDialog(operatorPage.page, dialog);
});

test("a suspended account's keys stop working immediately, and its team sees a notice", async () => {
  await operatorPage.page.getByRole("button", { name: "Suspend" }).click();
  await operatorPage.page.getByRole("dialog").getByLabel("Reason").fill("Chargebacks.");
  await operatorPage.page.getByRole("dialog").getByRole("button", { name: "Suspend" }).click();
  await expect(operatorPage.page.getByText("Suspended", { exact: true })).toBeVisible();
  for (const key of [testKey, liveKey])
    expect(await api(key, "GET", "/charges")).toEqual({ status: 401, code: "account_suspended" });
  await merchant.page.reload();
  await expect(merchant.page.getByText("This account is suspended")).toBeVisible();
  await expectFineInAll(merchant.page);
});

for (const viewport of viewports) {
  test(`the console is accessible, ${viewport.join(" pixels wide and ")}`, async () => {
    const { page } = operatorPage;
    await applyViewport(page, viewport);
    const expectPage = async (name: string) => {
      await heading(page, name);
      await expectFine(page);
    };
    await page.goto(`${addresses.dashboard}/console/applications`);
    await expectPage("Applications");
    await page.goto(`${addresses.dashboard}/console/accounts`);
    await expectPage("Accounts");
    await page.getByRole("table").getByRole("link", { name: business }).click();
    await expectPage(business);
    await expect(page.getByRole("table").getByText(person, { exact: true })).toBeVisible();
    await page.getByRole("table").getByRole("link").first().click();
    await expectPage(`Application of ${business}`);
  });
}
