/**
 * A merchant's whole way, by the dashboard's own pages: from signing up to a live key, and out again. The merchant and
 * the operator each have a browser; the merchant's server is this test, which takes webhooks and asks the API with the
 * keys that it was shown. Names, the application and what the operator writes hold markup: both read it as it was
 * typed.
 */
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, test, type Browser, type BrowserContext, type Page } from "@playwright/test";
import { webhooks as signed } from "@oriel/sdk";
import { addresses } from "../addresses.ts";
import { cards, pay } from "../checkout.ts";
import { consoleDialogs, expectDialog, liveKeyDialog } from "./dialogs.ts";
import { emptyPage } from "./empty-page.ts";
import { hostile } from "./hostile-merchant.ts";
import { expectFine, expectFineInAll, lookAt, sights } from "./sights.ts";
import { codesOf, demoOperator, mailedLink, newEmail, password } from "./visitor.ts";

test.describe.configure({ mode: "serial" });

interface Browsing {
  context: BrowserContext;
  page: Page;
}

const { markup, script, address, template, formula } = hostile;
const business = `Loom & Daughters ${markup}`;
const person = `Robin ${markup}`;
const question = `Which blankets? ${markup}`;
/** What the application says in words, by the labels of its fields. */
const words = [
  ["Legal name", `${business} Ltd`],
  ["Legal form", script],
  ["Registration number", formula],
  ["Address", template],
  ["Website", `https://loom.example/"><img/src=x>`],
  ["What is sold, and to whom", `Blankets, ${address}`],
  ["Account holder", markup],
] as const;
const register = { name: `Register "><img src=x>.pdf`, mimeType: "application/pdf", buffer: emptyPage };

const email = newEmail("owner");
let operator: ReturnType<typeof demoOperator>;
let merchant: Browsing;
let keeper: Browsing;
let code: () => string;
let server: Server;
const webhooks: { body: string; headers: Record<string, string> }[] = [];
/** Of the merchant, as the pages showed them. */
let testKey = "";
let liveKey = "";
let signingSecret = "";

async function open(browser: Browser): Promise<Browsing> {
  const context = await browser.newContext();
  context.setDefaultTimeout(20_000); // below the test's own, so that what is missing is named
  return { context, page: await context.newPage() };
}

test.beforeAll(async ({ browser }) => {
  operator = demoOperator();
  merchant = await open(browser);
  keeper = await open(browser);
  server = createServer((request, response) => {
    let body = "";
    request.setEncoding("utf8").on("data", (part: string) => (body += part));
    request.on("end", () => {
      webhooks.push({ body, headers: request.headers as Record<string, string> }); // none of these comes twice
      response.writeHead(200).end();
    });
  });
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
});
test.afterAll(async () => {
  await merchant.context.close();
  await keeper.context.close();
  server.close();
});

/** What the merchant's server asks. */
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
  const answer = (await response.json()) as { error?: { code: string } };
  return { status: response.status, code: answer.error?.code };
}

const heading = (page: Page, name: string | RegExp) =>
  expect(page.getByRole("heading", { level: 1, name })).toBeVisible();

async function goTo(page: Page, name: string): Promise<void> {
  await page.getByRole("navigation", { name: "Pages" }).getByRole("link", { name, exact: true }).click();
}

test("signs up, confirms the address, and sets up a second factor", async () => {
  const { page } = merchant;
  await page.goto(`${addresses.dashboard}/sign-up`);
  await page.getByLabel("Your name").fill(person);
  await page.getByLabel("Business").fill(business);
  await page.getByLabel("E-mail address").fill(email);
  await page.getByLabel("Password", { exact: true }).fill(password);
  await page.getByRole("button", { name: "Sign up" }).click();
  await heading(page, "Look into your mail");

  await page.goto(await mailedLink(email, "verify-email"));
  await page.getByRole("button", { name: "Confirm" }).click();
  await page.getByRole("link", { name: "Sign in" }).click();
  await page.getByLabel("E-mail address").fill(email);
  await page.getByLabel("Password", { exact: true }).fill(password);
  await page.getByRole("button", { name: "Sign in", exact: true }).click();

  await heading(page, "Set up a second factor");
  await page.getByLabel("Your password").fill(password);
  await page.getByRole("button", { name: "Begin" }).click();
  const secret = await page.locator("code", { hasText: /^[A-Z2-7]{32,}=*$/ }).textContent();
  code = codesOf(`otpauth://totp/Oriel:${email}?secret=${secret?.replaceAll("=", "")}&issuer=Oriel`);
  await page.getByLabel("I have kept them").check();
  await page.getByRole("textbox", { name: "Code" }).fill(code());
  await page.getByRole("button", { name: "Done" }).click();
  await heading(page, /Overview|Integrate/);
});

test("makes a first key, which is shown once", async () => {
  const { page } = merchant;
  await goTo(page, "Secret keys");
  await page.getByRole("button", { name: "Create a key" }).click();
  await page.getByRole("dialog").getByLabel("Name").fill("The shop's server");
  await page.getByRole("button", { name: "Create", exact: true }).click();
  const shown = page.getByRole("dialog").getByText(/^oriel_sk_test_/);
  testKey = (await shown.textContent()) ?? "";
  await page.getByRole("dialog").getByRole("button", { name: "I have kept it" }).click();
  await expect(page.getByText(testKey)).toHaveCount(0);
  expect(await page.content()).not.toContain(testKey);
  expect(await api(testKey, "GET", "/charges")).toEqual({ status: 200, code: undefined });
});

test("is given snippets with its own addresses", async () => {
  const { page } = merchant;
  await goTo(page, "Integrate");
  await expect(page.getByText(`apiUrl: "${addresses.api}"`)).toBeVisible();
  await page.getByRole("tab", { name: /script/i }).click();
  await expect(page.getByText(`${addresses.checkout}/embed/v1/oriel.js`).first()).toBeVisible();
  expect(await page.content()).not.toContain(testKey);
});

test("sets up a webhook endpoint, and pays with a test card in the page itself", async () => {
  const { page } = merchant;
  await goTo(page, "Webhook endpoints");
  await page.getByRole("button", { name: "Add an endpoint" }).click();
  await page.getByLabel("Address").fill(`http://127.0.0.1:${(server.address() as AddressInfo).port}/hooks`); // a TCP server's address
  await page.getByRole("dialog").getByRole("button", { name: "Add", exact: true }).click();
  signingSecret =
    (await page
      .getByRole("dialog")
      .getByText(/^whsec_/)
      .textContent()) ?? "";
  await page.getByRole("dialog").getByRole("button", { name: "Close" }).last().click();

  await goTo(page, "Integrate");
  await page.getByRole("button", { name: "Open a checkout" }).click();
  await pay(page.locator("iframe").contentFrame(), cards.approved);
  await expect.poll(() => webhooks.length, { timeout: 30_000 }).toBeGreaterThan(0);
  const [hook] = webhooks;
  const event = signed.verify(hook?.body ?? "", hook?.headers ?? {}, signingSecret);
  expect(event.type).toBe("payment.succeeded");
  await expect(page.getByText("All done in this mode.")).toBeVisible({ timeout: 30_000 });
});

test("finds the payment, with everything that happened to it, and gives a part of it back", async () => {
  const { page } = merchant;
  await goTo(page, "Payments");
  await page.getByRole("table").getByRole("link").first().click();
  await heading(page, /^Payment of/);
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

test("applies for live mode", async () => {
  const { page } = merchant;
  await goTo(page, "Live mode");
  await page.getByRole("button", { name: "Begin the application" }).click();
  for (const [label, text] of [
    ...words,
    ["Expected volume in a month", "12000"],
    ["Usual payment", "49"],
    ["Largest payment", "490"],
    ["IBAN", "DE89370400440532013000"],
  ] as const)
    await page.getByRole("textbox", { name: label, exact: true }).fill(text);
  await choose(page, "Country", "Germany");
  await choose(page, "Merchant category code", "5399");
  await choose(page, "Currency", "EUR");
  await page.getByLabel("Name", { exact: true }).fill(person);
  await page.getByLabel("Date of birth").fill("1980-02-29");
  await page.getByLabel("Share in percent").fill("100");
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
 * In a field with suggestions. They close when the page scrolls the field away, as a click on one may make it do: then
 * it's typed again.
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

test("the operator signs in, takes it into review, and asks for more", async () => {
  const { page } = keeper;
  await page.goto(`${addresses.dashboard}/sign-in`);
  await page.getByLabel("E-mail address").fill(operator.email);
  await page.getByLabel("Password", { exact: true }).fill(operator.password);
  await page.getByRole("button", { name: "Sign in", exact: true }).click();
  await heading(page, "Second factor");
  await expectFineInAll(page);
  await page.getByRole("textbox", { name: "Code" }).fill(operator.code());
  await page.getByRole("button", { name: "Sign in" }).click();
  await heading(page, "Applications");
  await page.getByRole("link", { name: business }).click();
  await heading(page, `Application of ${business}`);
  for (const text of [...words.map(([, text]) => text), person, register.name])
    await expect(page.getByRole("main").getByText(text, { exact: true }).first()).toBeVisible();
  await expectFineInAll(page);
  await page.getByRole("button", { name: "Take into review" }).click();
  await page.getByLabel("Ask for more").check();
  await expectFineInAll(page);
  await merchant.page.reload();
  await expect(merchant.page.getByText("In review", { exact: true }).first()).toBeVisible();
  await expectFineInAll(merchant.page);
  await page.getByLabel("Reason").fill(question);
  await page.getByRole("button", { name: "Ask for more" }).click();
  await expect(page.getByText("The merchant was asked for more")).toBeVisible();
});

test("the merchant reads why, says more, and the operator approves", async () => {
  const { page } = merchant;
  await page.reload();
  await expect(page.getByText(question).first()).toBeVisible();
  await expectFineInAll(page);
  await page.getByLabel("What is sold, and to whom").fill("Woven blankets of wool, to people who are cold.");
  await page.getByRole("button", { name: "Submit" }).click();
  await expect(page.getByText("Submitted", { exact: true }).first()).toBeVisible();

  await keeper.page.reload();
  await keeper.page.getByRole("button", { name: "Take into review" }).click();
  await keeper.page.getByLabel("Approve").check();
  await keeper.page.getByRole("button", { name: "Approve" }).click();
  await expect(keeper.page.getByText("Live mode is open for this account.")).toBeVisible();
  await page.reload();
  await expect(page.getByText("Approved", { exact: true }).first()).toBeVisible();
  await expectFineInAll(page);
});

test("a bar and the switch tell live from test", async () => {
  const { page } = merchant;
  const modes = page.getByRole("navigation", { name: "Mode" });
  const bar = (name: string) => page.getByRole("note", { name, exact: true });
  await expect(bar("Test data")).toHaveText("Test data: no money moves");
  await expect(modes.getByRole("link", { name: "Test" })).toHaveAttribute("aria-current", "true");
  await modes.getByRole("link", { name: "Live" }).click();
  for (const name of ["Overview", "Integrate", "Secret keys"]) {
    await goTo(page, name);
    await heading(page, name);
    await expect(bar("Live: real money")).toHaveText("LIVE: real customers, real money");
    await expect(bar("Test data")).toHaveCount(0);
    await expect(modes.getByRole("link", { name: "Live" })).toHaveAttribute("aria-current", "true");
    await expectFineInAll(page);
  }
});

test("a live key can be made then, and is answered as long as this service takes no live payments", async () => {
  const { page } = merchant;
  await expectDialog(page, liveKeyDialog);
  await page.getByRole("button", { name: "Create a key" }).click();
  await page.getByRole("dialog").getByLabel("Name").fill("The shop's server");
  await page.getByRole("button", { name: "Create", exact: true }).click();
  liveKey =
    (await page
      .getByRole("dialog")
      .getByText(/^oriel_sk_live_/)
      .textContent()) ?? "";
  await page.getByRole("dialog").getByRole("button", { name: "I have kept it" }).click();
  const session = { amount: 4900, currency: "eur" };
  expect(await api(liveKey, "POST", "/checkout_sessions", session)).toEqual({
    status: 503,
    code: "live_mode_unavailable",
  });
});

test("the console's dialogs have nothing against them, and give the focus back", async () => {
  await keeper.page
    .getByRole("link", { name: /^acct_|Loom & Daughters/ })
    .first()
    .click();
  for (const dialog of consoleDialogs) await expectDialog(keeper.page, dialog);
});

test("suspended, both keys open nothing at once, and the team can change nothing", async () => {
  await keeper.page.getByRole("button", { name: "Suspend" }).click();
  await keeper.page.getByRole("dialog").getByLabel("Reason").fill("Chargebacks.");
  await keeper.page.getByRole("dialog").getByRole("button", { name: "Suspend" }).click();
  await expect(keeper.page.getByText("Suspended", { exact: true })).toBeVisible();
  for (const key of [testKey, liveKey])
    expect(await api(key, "GET", "/charges")).toEqual({ status: 401, code: "account_suspended" });
  await merchant.page.reload();
  await expect(merchant.page.getByText("This account is suspended")).toBeVisible();
  await expectFineInAll(merchant.page);
});

for (const sight of sights) {
  test(`the console has nothing against it, ${sight.join(" pixels wide and ")}`, async () => {
    const { page } = keeper;
    await lookAt(page, sight);
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
