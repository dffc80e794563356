/**
 * An account whose fields contain markup, scripts and formulas, as malicious customers and merchants could enter them.
 */
import type { Page } from "@playwright/test";
import { cards } from "../checkout.ts";
import { addresses } from "../urls.ts";
import { api, payAsCustomer, startReceiver } from "./shop-payments.ts";
import { request, newMerchant, type Visitor } from "./visitor.ts";

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
  const dataPath = `/data/${merchant.accountId}/test`;
  const { secret_key: key } = await request<{ secret_key: string }>(page, "POST", `${dataPath}/keys`, {
    name: script,
    scope: "full",
  });
  let requests = 0;
  const send = (path: string, body: object) => api(key, path, body, `${script}${++requests}`);
  await request(page, "POST", `${dataPath}/team/invitations`, {
    email: `"onerror=ran"'@shop.example`,
    role: "read_only",
  });
  await request(page, "POST", `${dataPath}/webhook_endpoints`, {
    url: await startReceiver(500, markup, "/%3Cscript%3E"),
    description: turned,
  });
  const metadata = { "<b>key</b>": template, address, formula };
  for (const [payment_method_id, capture_method] of [
    ["pm_card_visa", "automatic"],
    ["pm_card_visa", "manual"],
    ["pm_card_declined_generic", "automatic"],
  ]) {
    const { id: decision_id } = await send("/decisions", { amount: 4900, currency: "eur", payment_method_id });
    await send("/charges", {
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
  const unnamed = { name: script, reference: formula };
  const declined = await send("/checkout_sessions", { ...order, customer: unnamed });
  const typed = { name: markup, email: `"onerror=ran"@shop.example` };
  await payAsCustomer(customer, declined.embed_url, cards.declined, typed);
  const saving = { ...order, customer: { ...unnamed, email: shown.email }, save_payment_method: true };
  await payAsCustomer(customer, (await send("/checkout_sessions", saving)).embed_url, cards.approved, typed);
  await customer.close();
  const { data } = await request<{ data: { id: string }[] }>(page, "GET", `${dataPath}/payments?status=succeeded`);
  await send("/refunds", { charge_id: data[0]?.id, amount: 100, reason: shown.refundReason });
  await request(page, "PUT", `${dataPath}/application`, {
    legal_entity: { name: markup, address: script },
    business: markup,
  });
  return merchant;
}
