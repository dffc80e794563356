/**
 * Tests names with invisible characters and right-to-left text: on input, on the customer's page, in emails and in
 * files.
 */
import { describe, expect, it } from "vitest";
import { openForTests } from "../../../scripts/test/open-for-tests.ts";
import { openCheckout } from "./setup/customer.ts";
import { emailsTo, newBrowser, newVisitor, password } from "./setup/dashboard-visitor.ts";
import { startTestService } from "./setup/test-service.ts";
import { until } from "./setup/until.ts";

const service = await openForTests(startTestService());
const owner = await newVisitor(service, { accountName: "סטודיו כבשן" });

describe("a name with a hidden character", () => {
  const names = ["Kiln\u202eStreet", "Ki\u200bln", "Kiln\u2069", "Ki\u200dln", "\u3164"];

  it.each(names)("is refused at sign-up with a readable message: %j", async (name) => {
    const browser = newBrowser(service, "hidden@shop.example");
    const person = await browser.call("POST", "/auth/sign-up", { name, email: browser.email, password });
    const account = { name: "Ann Weaver", account_name: name, email: browser.email, password };
    const responses = [person, await browser.call("POST", "/auth/sign-up", account)];
    expect(responses.map(({ status, body }) => [status, body["error"]?.["param"]])).toEqual([
      [400, "name"],
      [400, "account_name"],
    ]);
    expect(responses[0]?.text).toContain("hidden characters");
  });

  it.each(names)("is refused for an account, a key and an application: %j", async (name) => {
    const responses = [
      await owner.inWorkspace("PUT", "settings/name", { name }),
      await owner.inWorkspace("POST", "keys", { name, scope: "full" }),
      await owner.inWorkspace("PUT", "application", { legal_entity: { name } }),
    ];
    expect(responses.filter(({ text }) => !text.includes("hidden characters") || text.length > 400)).toEqual([]);
    expect(responses.map(({ status, body }) => [status, body["error"]?.["code"]])).toEqual([
      [400, "parameter_invalid"],
      [400, "parameter_invalid"],
      [400, "parameter_invalid"],
    ]);
  });
});

describe("text from the merchant's server", () => {
  it("reaches the customer's page without invisible characters and stays unchanged for the merchant", async () => {
    const description = "Two\u202e cups\u200b";
    const line_items = [{ name: "\u2066Cup\u2069\ufeff", amount: 4900, quantity: 1 }];
    const checkout = await openCheckout(service, { description, line_items });
    expect(checkout.opened["session"]).toMatchObject({ description: "Two cups", line_items: [{ name: "Cup" }] });
    expect(await checkout.session()).toMatchObject({ description, line_items });
  });

  it("shows its code points in the payments file", async () => {
    const key = (await owner.inWorkspace("POST", "keys", { name: "For the file", scope: "full" })).body["secret_key"];
    const call = (path: string, body: object) =>
      service.call("POST", `/api/v1/${path}`, body, { authorization: `Bearer ${String(key)}` });
    const money = { amount: 4900, currency: "eur", payment_method_id: "pm_card_visa" };
    const decision_id = (await call("decisions", money)).body["id"];
    const paid = await call("charges", { ...money, decision_id, metadata: { order: "\u202e1001\u200b" } });
    expect(paid.status).toBe(200);
    const file = (await owner.inWorkspace("GET", "payments.csv")).text;
    expect(file).toContain("[U+202E]1001[U+200B]");
    expect(file).not.toMatch(/[\u200b\u202e]/);
  });
});

it("isolates an account's right-to-left name in emails", async () => {
  await owner.inWorkspace("POST", "team/invitations", { email: "invited@shop.example", role: "read_only" });
  const email = await until("the invitation", async () => emailsTo(service, "invited@shop.example")[0] ?? null);
  expect(email).toContain("join the team of \u2068סטודיו כבשן\u2069 on Oriel");
});
