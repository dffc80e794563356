import { describe, expect, it } from "vitest";
import type { VendorAuthentication } from "../three-ds-server.ts";
import {
  authenticationBody,
  challengeDetailsBody,
  methodDetailsBody,
  type AuthenticationState,
} from "./authentication-requests.ts";

const request: VendorAuthentication = {
  reference: "aut_1",
  amount: 4900,
  currency: "eur",
  card: { number: "4242424242424242", expMonth: 3, expYear: 2030, cvc: "737" },
  usage: { kind: "once" },
  browser: {
    acceptHeader: "text/html",
    userAgent: "Mozilla/5.0",
    browserJavaEnabled: false,
    browserJavascriptEnabled: true,
    browserLanguage: "nl-NL",
    browserColorDepth: "24",
    browserScreenHeight: "723",
    browserScreenWidth: "1536",
    browserTZ: "-60",
  },
  merchantName: "Kiln & Clay",
  notificationUrl: "https://pay.example/3ds/challenge",
  origin: "https://pay.example",
  challengeIndicator: "01",
};
const merchant = { merchantAccount: "OrielTest", returnUrl: "https://shop.example/return" };
const bodyOf = (changes: Partial<VendorAuthentication> = {}) =>
  authenticationBody({ ...request, ...changes }, { value: 4900, currency: "EUR" }, merchant);

const state: AuthenticationState = {
  step: "challenge",
  threeDSServerTransID: "8a880dc0-d2d2-4067-bcb1-b08d1690b26e",
  paymentData: "Ab02b4c0!data",
  authorisationToken: "Ab02b4c0!token",
};
const decode = (encoded: unknown): unknown => JSON.parse(Buffer.from(String(encoded), "base64").toString("utf8"));

describe("authenticationBody", () => {
  it("requests native 3-D Secure alone, with the browser's data and our notification URL", () => {
    expect(bodyOf()).toEqual({
      merchantAccount: "OrielTest",
      returnUrl: "https://shop.example/return",
      reference: "aut_1",
      amount: { value: 4900, currency: "EUR" },
      paymentMethod: { type: "scheme", number: "4242424242424242", expiryMonth: "03", expiryYear: "2030", cvc: "737" },
      storePaymentMethod: false,
      shopperInteraction: "Ecommerce",
      authenticationData: {
        attemptAuthentication: "always",
        authenticationOnly: true,
        threeDSRequestData: { nativeThreeDS: "preferred" },
      },
      channel: "Web",
      origin: "https://pay.example",
      browserInfo: {
        acceptHeader: "text/html",
        userAgent: "Mozilla/5.0",
        language: "nl-NL",
        colorDepth: 24,
        screenHeight: 723,
        screenWidth: 1536,
        timeZoneOffset: -60,
        javaEnabled: false,
        javaScriptEnabled: true,
      },
      threeDS2RequestData: {
        merchantName: "Kiln & Clay",
        notificationURL: "https://pay.example/3ds/challenge",
        threeDSRequestorChallengeInd: "01",
      },
    });
  });

  it.each([0, 4900])("never requests a capture (amount: %i)", (amount) => {
    const body = { captureDelayHours: undefined, additionalData: undefined, ...bodyOf({ amount }) };
    expect([body.captureDelayHours, body.additionalData]).toEqual([undefined, undefined]);
  });

  it("requests a mandated challenge", () => {
    expect(bodyOf({ challengeIndicator: "04" })).toMatchObject({
      threeDS2RequestData: { threeDSRequestorChallengeInd: "04" },
    });
  });

  it("shortens the merchant's name to the 40 characters that Adyen allows", () => {
    expect(bodyOf({ merchantName: "x".repeat(41) }).threeDS2RequestData.merchantName).toBe("x".repeat(40));
  });

  it("sends the cardholder's data, the network and the usage as a payment does", () => {
    const billingAddress = { line1: "Hauptstraße 12", city: "Berlin", postalCode: "10115", country: "DE" };
    const body = bodyOf({
      cardholderName: "Ada Lovelace",
      network: "cartes_bancaires",
      usage: { kind: "store" },
      customer: { email: "ada@example.com", ip: "192.0.2.1", billingAddress },
    });
    expect(body).toMatchObject({
      paymentMethod: { holderName: "Ada Lovelace", brand: "cartebancaire" },
      recurringProcessingModel: "CardOnFile",
      shopperEmail: "ada@example.com",
      shopperIP: "192.0.2.1",
      billingAddress: { street: "Hauptstraße", houseNumberOrName: "12" },
    });
  });
});

describe("methodDetailsBody", () => {
  it.each(["Y", "N", "U"] as const)("sends the completion indicator %s with the paymentData", (threeDSCompInd) => {
    const { details, ...rest } = methodDetailsBody(state, threeDSCompInd);
    expect(decode(details["threeds2.fingerprint"])).toEqual({ threeDSCompInd });
    expect(rest).toEqual({ paymentData: "Ab02b4c0!data", authenticationData: { authenticationOnly: true } });
  });

  it("throws without paymentData", () => {
    expect(() => methodDetailsBody({ ...state, paymentData: null }, "Y")).toThrow("Bug");
  });
});

describe("challengeDetailsBody", () => {
  it.each(["Y", "N", "U"] as const)("sends %s with the authorisationToken as threeDSResult", (transStatus) => {
    const body = challengeDetailsBody(state, transStatus);
    expect(Object.keys(body).toSorted()).toEqual(["authenticationData", "details"]);
    expect(Object.keys(body.details)).toEqual(["threeDSResult"]);
    expect(decode(Object.values(body.details)[0])).toEqual({ transStatus, authorisationToken: "Ab02b4c0!token" });
    expect(body.authenticationData).toEqual({ authenticationOnly: true });
  });

  it("sends the challenge result with the paymentData if there's no authorisationToken", () => {
    const { details, ...rest } = challengeDetailsBody({ ...state, authorisationToken: null }, "Y");
    expect(Object.keys(details)).toEqual(["threeds2.challengeResult"]);
    expect(decode(Object.values(details)[0])).toEqual({ transStatus: "Y" });
    expect(rest).toEqual({ paymentData: "Ab02b4c0!data", authenticationData: { authenticationOnly: true } });
  });

  it("throws without either token", () => {
    const empty = { ...state, authorisationToken: null, paymentData: null };
    expect(() => challengeDetailsBody(empty, "Y")).toThrow("Bug");
  });
});
