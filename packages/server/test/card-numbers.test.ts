/**
 * Tests that a card number in a text field is refused by field name, isn't repeated in the response, and isn't stored
 * in any table or log. Numbers that only resemble one are accepted.
 */
import { describe, expect, it } from "vitest";
import { openForTests } from "../../../scripts/test/open-for-tests.ts";
import { browser, openCheckout } from "./setup/customer.ts";
import { newVisitor, password } from "./setup/dashboard-visitor.ts";
import { dumpDatabase } from "./setup/dump-database.ts";
import { expectError, invalid } from "./setup/expect-error.ts";
import { startTestService, type ApiResponse } from "./setup/test-service.ts";
import { until } from "./setup/until.ts";

const service = await openForTests(startTestService());
const owner = await newVisitor(service);

// Only this file uses these numbers, so finding one anywhere means that it leaked.
const number = "4929420573595709";
const spaced = "4929 4205 7359 5709";
const order = { amount: 4900, currency: "eur" };
const responses: string[] = [];

function expectRefused(response: ApiResponse, param: string | undefined): void {
  responses.push(response.text);
  expect({ status: response.status, ...(response.body["error"] as object) }).toEqual({
    status: 400,
    type: "invalid_request_error",
    code: "parameter_invalid",
    message: expect.stringContaining("card number") as string,
    ...(param === undefined ? {} : { param }),
  });
}

describe("card numbers in API requests", () => {
  it.each<[param: string, body: object]>([
    ["description", { description: `MOTO ${spaced} 12/28` }],
    ["metadata.note", { metadata: { order: "1001", note: number } }],
    ["metadata", { metadata: { [number]: "x" } }],
    ["customer.name", { customer: { name: `Ada ${number}` } }],
    ["customer.reference", { customer: { reference: number } }],
    ["customer.email", { customer: { email: `${number}@customer.example` } }],
    ["line_items[1].name", { line_items: [item("Cup"), item(spaced)] }],
    ["return_url", { return_url: `https://shop.example/?card=${number}` }],
    ["cancel_url", { cancel_url: `https://shop.example/${number}/back` }],
    ["appearance.variables.fontFamily", { appearance: { variables: { fontFamily: number } } }],
  ])("are refused in %s of a checkout session", async (param, more) => {
    expectRefused(await service.call("POST", "/api/v1/checkout_sessions", { ...order, ...more }), param);
  });

  it.each<[param: string, path: string, body: object]>([
    [
      "metadata.note",
      "charges",
      { ...order, payment_method_id: "pm_card_visa", decision_id: "dec_1", metadata: { note: number } },
    ],
    ["payment_method_id", "charges", { ...order, payment_method_id: number, decision_id: "dec_1" }],
    ["payment_method_id", "decisions", { ...order, payment_method_id: number }],
    ["reason", "refunds", { charge_id: "ch_1", reason: `paid with ${spaced}` }],
    ["charge_id", "refunds", { charge_id: number }],
    ["description", "webhook_endpoints", { url: "https://shop.example/", description: number }],
    ["url", "webhook_endpoints", { url: `https://shop.example/${number}` }],
  ])("are refused in %s of POST %s", async (param, path, body) => {
    expectRefused(await service.call("POST", `/api/v1/${path}`, body, { "idempotency-key": `card-${param}` }), param);
  });

  it("are refused in a path, a query parameter and a field name", async () => {
    expectRefused(await service.call("GET", `/api/v1/charges/${number}`), "id");
    expectRefused(
      await service.call("POST", `/api/v1/charges/${number}/capture`, {}, { "idempotency-key": "card-in-path" }),
      "id",
    );
    expectRefused(await service.call("GET", `/api/v1/charges?session_id=${number}`), "session_id");
    expectRefused(await service.call("POST", "/api/v1/checkout_sessions", { ...order, [number]: 1 }), undefined);
  });

  it.each([number, `pay-${number}`, `order_${number}`, "4929-4205-7359-5709"])(
    "are refused in the Idempotency-Key %s",
    async (key) => {
      const response = await service.call("POST", "/api/v1/checkout_sessions", order, { "idempotency-key": key });
      responses.push(response.text);
      expectError(response, invalid("idempotency_key_invalid", "Idempotency-Key"));
    },
  );

  it("are refused in a later request with the same idempotency key, which keeps its first response", async () => {
    const headers = { "idempotency-key": "stored-response" };
    const first = await service.call("POST", "/api/v1/checkout_sessions", order, headers);
    expectRefused(
      await service.call("POST", "/api/v1/checkout_sessions", { ...order, [spaced]: number }, headers),
      undefined,
    );
    const again = await service.call("POST", "/api/v1/checkout_sessions", order, headers);
    expect([again.status, again.text]).toEqual([200, first.text]);
  });
});

describe("card numbers sent to the checkout page's service", () => {
  it.each([
    ["billing_details.name", { name: `Ada ${number}` }],
    ["billing_details.email", { email: `${number}@customer.example` }],
    ["billing_details.postal_code", { postal_code: spaced }],
  ])("are refused in %s", async (param, billing_details) => {
    const checkout = await openCheckout(service);
    const card = await checkout.encrypt("4242424242424242");
    const body = { card, browser, challenge_window_size: "05", billing_details };
    const response = await service.frame("POST", "/frame/payments", body, checkout.token);
    responses.push(response.text);
    expectError(response, invalid("parameter_invalid", param));
  });
});

describe("card numbers sent to the dashboard", () => {
  it.each<[param: string, method: "POST" | "PUT" | "GET", path: string, body?: object]>([
    ["name", "POST", "keys", { name: `key ${number}`, scope: "full" }],
    ["description", "POST", "webhook_endpoints", { url: "https://shop.example/", description: spaced }],
    ["email", "POST", "team/invitations", { email: `${number}@shop.example`, role: "read_only" }],
    ["name", "PUT", "settings/name", { name: number }],
    ["legal_entity.registration_number", "PUT", "application", { legal_entity: { registration_number: number } }],
    ["legal_entity.address", "PUT", "application", { legal_entity: { address: `Kiln Street 1\n${spaced}` } }],
    ["owners[0].name", "PUT", "application", { owners: [{ name: number }] }],
    ["business", "PUT", "application", { business: number }],
    [
      "bank_account.holder_name",
      "PUT",
      "application",
      { bank_account: { holder_name: number, iban: "DE89370400440532013000" } },
    ],
    ["search", "GET", `payments?search=${number}`],
    ["reason", "POST", "payments/dec_1/refund", { reason: number }],
  ])("are refused in %s of %s %s", async (param, method, path, body) => {
    expectRefused(await owner.inWorkspace(method, path, body), param);
  });

  it("are refused in a document's file name", async () => {
    const path = `/data/${owner.accountId}/test/application/documents?kind=other&name=${number}.pdf`;
    expectRefused(await owner.call("POST", path, "%PDF-1.7", { "content-type": "application/pdf" }), "name");
  });

  it.each([
    ["name", { name: number, email: "a@shop.example", password }],
    ["account_name", { name: "Ann", account_name: spaced, email: "a@shop.example", password }],
    ["email", { name: "Ann", email: `${number}@shop.example`, password }],
  ])("are refused in %s at sign-up", async (param, body) => {
    expectRefused(await owner.call("POST", "/auth/sign-up", body), param);
  });

  it("are accepted in a password, which nobody can read", async () => {
    const body = { name: "Ann Weaver", email: "ann-with-a-number@shop.example", password: `${number} ${number}` };
    expect(await owner.call("POST", "/auth/sign-up", body)).toMatchObject({ status: 200 });
    const wrong = await owner.call("POST", "/auth/sign-in", { email: body.email, password: number });
    expect([wrong.status, wrong.text]).not.toEqual([400, expect.stringContaining("card number")]);
  });

  it("are accepted as a bank account number, which is encrypted and may resemble one", async () => {
    const bank_account = {
      holder_name: "Kiln Street",
      account_number: "6205500000000000004",
      routing_number: "102100099996",
    };
    expect(await owner.inWorkspace("PUT", "application", { bank_account })).toMatchObject({ status: 200 });
  });
});

it("accepts order numbers that are not card numbers in every field", async () => {
  const like = [
    "4929420573595700",
    "1234567890123452",
    "49294205735957094929",
    "2026-4929420573595709",
    "4006381333931",
  ];
  for (const reference of like) {
    const body = { ...order, description: `Order ${reference}`, metadata: { reference }, customer: { reference } };
    const response = await service.call("POST", "/api/v1/checkout_sessions", body, { "idempotency-key": reference });
    expect([reference, response.status]).toEqual([reference, 200]);
  }
  expect(like).toHaveLength(5);
});

it("card numbers appear in no table, request log, server log or response", async () => {
  const key = "idempotency-key";
  // An Idempotency-Key isn't checked on a GET, and it isn't logged.
  const last = await service.call("GET", "/api/v1/charges", undefined, { [key]: number });
  const { rows } = await until("the last request in the log", async () => {
    const dump = await dumpDatabase(service.context.db);
    return dump.includes(String(last.headers["request-id"])) ? { rows: dump } : null;
  });
  expect(rows).toContain("2026-4929420573595709"); // control: values that were accepted do appear
  expect(responses.length).toBeGreaterThan(40);
  const everything = [
    rows.replaceAll("2026-4929420573595709", "").replaceAll("49294205735957094929", ""),
    ...service.log,
    ...responses,
  ].join("\n");
  expect(everything).not.toMatch(/4929.?4205.?7359.?5709/);
});

function item(name: string) {
  return { name, amount: 2450, quantity: 1 };
}
