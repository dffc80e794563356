/**
 * An account whose fields contain markup, scripts and formulas, as malicious customers and merchants could enter them.
 */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { Page } from "@playwright/test";
import { addresses } from "../urls.ts";
import { cards, pay } from "../checkout.ts";
import { appPage, pageAddress } from "../hosts/host-page.ts";
import { expectHeard, tillIn } from "../hosts/host-checkout.ts";
import { ask, newMerchant, type Visitor } from "./visitor.ts";

/** Each has a visible effect if it's interpreted as anything but text. */
export const hostile = {
  markup: `<img src=x onerror="globalThis.ran=1">`,
  script: `"><script>globalThis.ran=1</script>`,
  address: `javascript:globalThis.ran=1`,
  template: `{{constructor.constructor('globalThis.ran=1')()}}`,
  turned: `\u202Egnp.exe <svg/onload=globalThis.ran=1>`,
  formula: `=cmd|' /C calc'!A0`,
};
const { markup, script, address, template, turned, formula } = hostile;

/** The texts as the dashboard shows them: unchanged, except that hidden characters are made visible. */
export const shown = {
  turned: turned.replace("\u202E", "[U+202E]"),
  email: `${markup}@shop.example`,
  refundReason: `${markup}, and again`,
};

export async function newHostileMerchant(page: Page): Promise<Visitor> {
  const merchant = await newMerchant(page, { name: markup, accountName: markup });
  const desk = `/data/${merchant.accountId}/test`;
  const { secret_key: key } = await ask<{ secret_key: string }>(page, "POST", `${desk}/keys`, {
    name: script,
    scope: "full",
  });
  await ask(page, "POST", `${desk}/team/invitations`, { email: `"onerror=ran"'@shop.example`, role: "read_only" });
  await ask(page, "POST", `${desk}/webhook_endpoints`, { url: await startReceiver(), description: turned });
  const metadata = { "<b>key</b>": template, address, formula };
  for (const [payment_method_id, capture_method] of [
    ["pm_card_visa", "automatic"],
    ["pm_card_visa", "manual"],
    ["pm_card_declined_generic", "automatic"],
  ]) {
    const { id: decision_id } = await api(key, "/decisions", { amount: 4900, currency: "eur", payment_method_id });
    await api(key, "/charges", {
      amount: 4900,
      currency: "eur",
      payment_method_id,
      decision_id,
      capture_method,
      metadata,
    });
  }
  const order = { amount: 4900, currency: "eur", description: markup, metadata, allowed_origins: [addresses.hosts] };
  const customer = await page.context().newPage();
  // Without an email address, the dashboard shows the name.
  const nameless = { name: script, reference: formula };
  const declined = await api(key, "/checkout_sessions", { ...order, customer: nameless });
  await payAsCustomer(customer, declined.embed_url, "decline");
  const saving = { ...order, customer: { ...nameless, email: shown.email }, save_payment_method: true };
  await payAsCustomer(customer, (await api(key, "/checkout_sessions", saving)).embed_url, "complete");
  await customer.close();
  const { data } = await ask<{ data: { id: string }[] }>(page, "GET", `${desk}/payments?status=succeeded`);
  await api(key, "/refunds", { charge_id: data[0]?.id, amount: 100, reason: shown.refundReason });
  await ask(page, "PUT", `${desk}/application`, { legal_entity: { name: markup, address: script }, business: markup });
  return merchant;
}

/** The merchant's webhook receiver, which responds to each webhook with a 500 and markup. Ends with the process. */
async function startReceiver(): Promise<string> {
  const receiver = createServer((_request, response) =>
    response.writeHead(500, { "content-type": "text/html" }).end(markup),
  );
  await new Promise<void>((done) => receiver.listen(0, "127.0.0.1", done));
  receiver.unref();
  return `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/%3Cscript%3E`; // for TCP, an object
}

/** Pays in the iframe, on a page of the merchant. */
async function payAsCustomer(page: Page, embedUrl: string, end: "complete" | "decline"): Promise<void> {
  const options = {
    embedUrl,
    locale: "en",
    fields: { name: "required", email: "required" },
    defaultValues: { name: markup, email: `"onerror=ran"@shop.example` },
  };
  await page.goto(await pageAddress(appPage("esm", options)));
  await pay(tillIn(page), end === "complete" ? cards.approved : cards.declined);
  await expectHeard(page, end);
}

let requests = 0;

async function api(key: string, path: string, body: object): Promise<{ id: string; embed_url: string }> {
  const response = await fetch(`${addresses.api}/api/v1${path}`, {
    method: "POST",
    headers: {
      authorization: `Bearer ${key}`,
      "content-type": "application/json",
      "idempotency-key": `${script}${++requests}`,
    },
    body: JSON.stringify(body),
  });
  const result = (await response.json()) as { id: string; embed_url: string }; // callers use only fields that exist
  // 402 is an expected decline.
  if (response.status !== 200 && response.status !== 402) throw new Error(`${path}: ${JSON.stringify(result)}`);
  return result;
}
