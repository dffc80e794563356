/** Every optional part of a payment request, and the request for trying out, match the description that Adyen publishes. */
import { describe, expect, it } from "vitest";
import { cardNetworks } from "@oriel/protocol/card-networks";
import type { Authorization } from "../../src/connectors/acquirer.ts";
import { paymentBody } from "../../src/connectors/adyen/payments.ts";
import { testRequest } from "../../src/connectors/adyen/try-out.ts";
import { authorization } from "../authorization.ts";
import { openPublishedDocument } from "./published-document.ts";

const published = openPublishedDocument();
const merchant = { merchantAccount: "KilnAndClay", returnUrl: "https://shop.example/return" };
const proof = {
  version: "2.2.0",
  dsTransId: "0a1b2c3d-0000-4000-8000-000000000000",
  eci: "05",
  authenticationValue: "AAECAwQFBgcICQoLDA0ODxAREhM=",
  authenticationStatus: "C",
  challengeStatus: "Y",
};
const billingAddress = {
  line1: "12 High Street",
  line2: "Flat 3",
  city: "San Francisco",
  state: "CA",
  postalCode: "94105",
  country: "US",
};
const customer = { id: "cus_1", email: "ada@example.com", ip: "203.0.113.7", billingAddress };

const variants: [string, Partial<Authorization>][] = [
  ["a reservation", { capture: false }],
  ["a verification", { amount: 0, capture: false }],
  ["a frictionless proof", { proof: { ...proof, authenticationStatus: "Y" } }],
  ["a proof with a challenge", { proof }],
  ["a card to store", { usage: { kind: "store" } }],
  ["a stored card, customer present", { usage: { kind: "stored_by_customer", firstNetworkTransactionId: "net_1" } }],
  ["a stored card, merchant alone", { usage: { kind: "stored_by_merchant", firstNetworkTransactionId: "net_1" } }],
  ["a customer", { customer, cardholderName: "Ada Lovelace" }],
  ["a statement descriptor", { statementDescriptor: "Kiln & Clay" }],
  ...cardNetworks.map((network): [string, Partial<Authorization>] => [`the network ${network}`, { network }]),
];

describe("a payment request", () => {
  it.each(variants)("is valid with %s", (_name, changes) => {
    const request = { ...authorization, ...changes };
    const body = paymentBody(request, { value: request.amount, currency: "EUR" }, merchant);
    expect(body).not.toEqual(paymentBody(authorization, { value: authorization.amount, currency: "EUR" }, merchant));
    expect(() => published.checkRequest("POST", "/payments", body)).not.toThrow();
  });
});

describe("a request that tries out the connection", () => {
  it("is valid", () => {
    const { path, body } = testRequest("KilnAndClay");
    expect(() => published.checkRequest("POST", path, body)).not.toThrow();
  });
});
