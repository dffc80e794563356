import { describe, expect, it } from "vitest";
import { authorization } from "../../../test/authorization.ts";
import type { Authorization, CardUsage, Customer } from "../acquirer.ts";
import { paymentBody } from "./payments.ts";

const request = { ...authorization, card: { ...authorization.card, expMonth: 3, cvc: "737" } };
const merchant = { merchantAccount: "OrielTest", returnUrl: "https://shop.example/return" };
const bodyOf = (changes: Partial<Authorization> = {}) =>
  paymentBody({ ...request, ...changes }, { value: 4900, currency: "EUR" }, merchant);

describe("paymentBody", () => {
  it("sends a card, captures at once and starts neither 3-D Secure nor tokenization", () => {
    expect(bodyOf()).toEqual({
      merchantAccount: "OrielTest",
      returnUrl: "https://shop.example/return",
      reference: "att_1",
      amount: { value: 4900, currency: "EUR" },
      paymentMethod: { type: "scheme", number: "4242424242424242", expiryMonth: "03", expiryYear: "2030", cvc: "737" },
      storePaymentMethod: false,
      authenticationData: { attemptAuthentication: "never" },
      shopperInteraction: "Ecommerce",
      captureDelayHours: 0,
    });
  });

  it("sends nothing of the merchant but its account and return URL", () => {
    const options = { ...merchant, apiKey: "key" };
    expect(JSON.stringify(paymentBody(request, { value: 4900, currency: "EUR" }, options))).not.toContain("key");
  });

  it("requires a manual capture of a reservation", () => {
    const body = bodyOf({ capture: false });
    expect(body).toMatchObject({ additionalData: { manualCapture: "true" } });
    expect(body).not.toHaveProperty("captureDelayHours");
  });

  it.each([true, false])("doesn't mention a capture when it verifies a card (capture: %j)", (capture) => {
    const body = bodyOf({ amount: 0, capture });
    expect(body).not.toHaveProperty("captureDelayHours");
    expect(body).not.toHaveProperty("additionalData");
  });

  it("leaves out an absent CVC", () => {
    expect(bodyOf({ card: { number: "4242424242424242", expMonth: 12, expYear: 2030 } }).paymentMethod).toEqual({
      type: "scheme",
      number: "4242424242424242",
      expiryMonth: "12",
      expiryYear: "2030",
    });
  });

  it("sends the cardholder's name", () => {
    expect(bodyOf({ cardholderName: "Ada Lovelace" }).paymentMethod).toMatchObject({ holderName: "Ada Lovelace" });
  });

  it.each([
    ["visa", "visa"],
    ["mastercard", "mc"],
    ["maestro", "maestro"],
    ["cartes_bancaires", "cartebancaire"],
    ["bancontact", "bcmc"],
    ["dankort", "dankort"],
    ["eftpos_australia", "eftpos_australia"],
  ] as const)("sends the chosen network %s as %s", (network, brand) => {
    expect(bodyOf({ network }).paymentMethod).toMatchObject({ brand });
  });

  it.each<[CardUsage["kind"], CardUsage, object]>([
    ["once", { kind: "once" }, { shopperInteraction: "Ecommerce" }],
    ["store", { kind: "store" }, { shopperInteraction: "Ecommerce", recurringProcessingModel: "CardOnFile" }],
    [
      "stored_by_customer",
      { kind: "stored_by_customer", firstNetworkTransactionId: "ntx_1" },
      { shopperInteraction: "ContAuth", recurringProcessingModel: "CardOnFile" },
    ],
    [
      "stored_by_merchant",
      { kind: "stored_by_merchant", firstNetworkTransactionId: "ntx_1" },
      { shopperInteraction: "ContAuth", recurringProcessingModel: "UnscheduledCardOnFile" },
    ],
  ])("says how the card is used: %s", (_kind, usage, expected) => {
    const { shopperInteraction, recurringProcessingModel, paymentMethod } = {
      recurringProcessingModel: undefined,
      ...bodyOf({ usage }),
    };
    expect({ shopperInteraction, recurringProcessingModel }).toEqual({
      recurringProcessingModel: undefined,
      ...expected,
    });
    const reference = "firstNetworkTransactionId" in usage ? "ntx_1" : undefined;
    expect("networkPaymentReference" in paymentMethod ? paymentMethod.networkPaymentReference : undefined).toBe(
      reference,
    );
  });

  it("leaves out an unknown first network transaction", () => {
    const usage: CardUsage = { kind: "stored_by_merchant", firstNetworkTransactionId: null };
    expect(bodyOf({ usage }).paymentMethod).not.toHaveProperty("networkPaymentReference");
  });

  it("sends the proof of a frictionless authentication", () => {
    const proof = {
      version: "2.2.0",
      dsTransId: "0c3b4a5d-8e0f-4b1a-9c1d-2e3f4a5b6c7d",
      eci: "05",
      authenticationValue: "AAIBBYNoEwAAAAAAhIOHdQAAAAA=",
      authenticationStatus: "Y",
    };
    expect(bodyOf({ proof })).toMatchObject({
      mpiData: {
        threeDSVersion: "2.2.0",
        dsTransID: "0c3b4a5d-8e0f-4b1a-9c1d-2e3f4a5b6c7d",
        eci: "05",
        cavv: "AAIBBYNoEwAAAAAAhIOHdQAAAAA=",
        directoryResponse: "Y",
      },
      authenticationData: { attemptAuthentication: "never" },
    });
  });

  it("sends the statuses before and after a challenge, and only what the proof has", () => {
    const proof = { version: "2.3.1", dsTransId: "ds_1", authenticationStatus: "C", challengeStatus: "Y" };
    const { mpiData } = { mpiData: undefined, ...bodyOf({ proof }) };
    expect(mpiData).toEqual({
      threeDSVersion: "2.3.1",
      dsTransID: "ds_1",
      directoryResponse: "C",
      authenticationResponse: "Y",
    });
  });

  it("sends what it knows of the customer", () => {
    const customer: Customer = {
      id: "cus_1",
      email: "ada@example.com",
      ip: "2001:db8::1",
      billingAddress: { line1: "Hauptstraße 12", city: "Berlin", postalCode: "10115", country: "DE" },
    };
    expect(bodyOf({ customer })).toMatchObject({
      shopperReference: "cus_1",
      shopperEmail: "ada@example.com",
      shopperIP: "2001:db8::1",
      billingAddress: { street: "Hauptstraße", houseNumberOrName: "12" },
    });
  });

  it.each<[string, Customer, string]>([
    ["a short ID", { id: "c1" }, "shopperReference"],
    ["a long ID", { id: "c".repeat(257) }, "shopperReference"],
    ["a long email", { email: `${"a".repeat(250)}@example.com` }, "shopperEmail"],
    ["a long IP", { ip: "1".repeat(51) }, "shopperIP"],
    [
      "an incomplete address",
      { billingAddress: { line1: "1 Main St", city: "Reno", postalCode: "89501", country: "US" } },
      "billingAddress",
    ],
  ])("leaves out %s, which Adyen would reject", (_name, customer, field) => {
    expect(bodyOf({ customer })).not.toHaveProperty(field);
  });

  it.each([
    ["Oriel Shop", "Oriel Shop"],
    ["Café Zoë & Söhne", "Cafe Zoe Sohne"],
    ["ﬁﬁﬁﬁﬁﬁﬁﬁﬁﬁﬁﬁ", "fifififififififififififi".slice(0, 22)],
    ["O'Neil's_1-2?+*/.,", "O'Neil's_1-2?+*/.,"],
    ["店", undefined],
  ])("sends the statement descriptor %j as %j", (statementDescriptor, shopperStatement) => {
    expect({ shopperStatement: undefined, ...bodyOf({ statementDescriptor }) }.shopperStatement).toBe(shopperStatement);
  });
});
