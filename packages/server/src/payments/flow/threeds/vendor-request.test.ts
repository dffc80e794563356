import { describe, expect, it } from "vitest";
import type { Row } from "../../../platform/storage/tables.ts";
import { vendorRequest, type PaymentDetails } from "./vendor-request.ts";

const context = { config: { checkoutOrigin: "https://pay.example" } } as Parameters<typeof vendorRequest>[0]; // Only this is used.

// Only the fields of both rows that the request uses.
const authentication = {
  id: "11111111-1111-4111-8111-111111111111",
  is_step_up: false,
  browser: { browserLanguage: "en-GB" },
  browser_accept: "text/html",
  browser_ip: "192.0.2.1",
  browser_user_agent: "Test browser",
} as Row<"authentication">;
const decision = {
  account_no: 1,
  livemode: false,
  amount: 4900,
  currency: "eur",
  risk_level: "normal",
} as Row<"decision">;
const details: PaymentDetails = {
  billing_details: null,
  network: null,
  mode: "payment",
  save_payment_method: false,
  customer: null,
};

interface Changes {
  authentication?: Partial<Row<"authentication">>;
  decision?: Partial<Row<"decision">>;
  details?: Partial<PaymentDetails>;
}

const request = (changes: Changes = {}) =>
  vendorRequest(
    context,
    { ...authentication, ...changes.authentication },
    { ...decision, ...changes.decision },
    "Test Shop",
    { ...details, ...changes.details },
  );

describe("a request to a vendor's 3DS Server", () => {
  it("contains the payment, the browser and our pages", () => {
    expect(request()).toEqual({
      reference: "aut_11111111-1111-4111-8111-111111111111",
      amount: 4900,
      currency: "eur",
      usage: { kind: "once" },
      customer: { ip: "192.0.2.1" },
      browser: { browserLanguage: "en-GB", acceptHeader: "text/html", userAgent: "Test browser" },
      merchantName: "Test Shop",
      notificationUrl: expect.stringMatching(/^https:\/\/pay\.example\/3ds\/challenge\/\w+$/),
      origin: "https://pay.example",
      challengeIndicator: "01",
    });
  });

  it("prefers what the customer entered to what the merchant knows", () => {
    const customer = { email: "old@example.com", name: "A. Lovelace", reference: "customer-1" };
    const billing_details = { email: "ada@example.com" };
    expect(request({ details: { customer, billing_details, network: "cartes_bancaires" } })).toMatchObject({
      cardholderName: "A. Lovelace",
      network: "cartes_bancaires",
      customer: { id: "customer-1", email: "ada@example.com", ip: "192.0.2.1" },
    });
  });

  it("has the Accept header of a script if the browser's isn't known yet", () => {
    expect(request({ authentication: { browser_accept: null } })).toMatchObject({ browser: { acceptHeader: "*/*" } });
  });

  it.each<[string, Changes]>([
    ["a step-up", { authentication: { is_step_up: true } }],
    ["an elevated risk", { decision: { risk_level: "elevated" } }],
  ])("mandates a challenge for %s", (_name, changes) => {
    expect(request(changes)).toMatchObject({ challengeIndicator: "04" });
  });

  it.each<[string, Changes]>([
    ["a session that saves a card", { details: { mode: "setup" } }],
    ["a payment that also saves the card", { details: { save_payment_method: true } }],
  ])("says that the card is stored for %s", (_name, changes) => {
    expect(request(changes)).toMatchObject({ usage: { kind: "store" } });
  });
});
