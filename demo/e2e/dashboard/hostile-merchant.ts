/** An account whose every field holds what customers and merchants can type and would rather it were run. */
import type { Page } from "@playwright/test";
import { addresses } from "../addresses.ts";
import { ask, newMerchant, type Visitor } from "./visitor.ts";

/** Each does something that is seen if anything of it becomes more than text. */
const hostile = [
  `<img src=x onerror="globalThis.ran=1">`,
  `"><script>globalThis.ran=1</script>`,
  `javascript:globalThis.ran=1`,
  `{{constructor.constructor('globalThis.ran=1')()}}`,
  `\u202Egnp.exe <svg/onload=globalThis.ran=1>`,
  `=cmd|' /C calc'!A0`,
];
const [markup = "", script = "", address = "", template = "", turned = "", formula = ""] = hostile;

export async function newHostileMerchant(page: Page): Promise<Visitor> {
  const merchant = await newMerchant(page, { accountName: markup });
  const desk = `/data/${merchant.accountId}/test`;
  const { secret_key: key } = await ask<{ secret_key: string }>(page, "POST", `${desk}/keys`, { name: script, scope: "full" });
  await ask(page, "POST", `${desk}/team/invitations`, { email: `"onerror=ran"'@shop.example`, role: "read_only" });
  await ask(page, "POST", `${desk}/webhook_endpoints`, { url: "http://127.0.0.1:65000/%3Cscript%3E", description: turned });
  for (const [payment_method_id, capture_method] of [
    ["pm_card_visa", "automatic"],
    ["pm_card_visa", "manual"],
    ["pm_card_declined_generic", "automatic"],
  ]) {
    const metadata = { "<b>key</b>": template, address, formula };
    const customer = { email: `${markup}@shop.example`, name: script, reference: formula };
    await api(key, "/checkout_sessions", { amount: 4900, currency: "eur", description: markup, customer, metadata });
    const { id: decision_id } = await api(key, "/decisions", { amount: 4900, currency: "eur", payment_method_id });
    await api(key, "/charges", { amount: 4900, currency: "eur", payment_method_id, decision_id, capture_method, metadata });
  }
  await ask(page, "PUT", `${desk}/application`, { legal_entity: { name: markup, address: script }, business: markup });
  return merchant;
}

async function api(key: string, path: string, body: object): Promise<{ id: string }> {
  const response = await fetch(`${addresses.api}/api/v1${path}`, {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    body: JSON.stringify(body),
  });
  const answer = (await response.json()) as { id: string };
  if (response.status !== 200 && response.status !== 402) throw new Error(`${path}: ${JSON.stringify(answer)}`); // 402: a decline, which is wanted
  return answer;
}
