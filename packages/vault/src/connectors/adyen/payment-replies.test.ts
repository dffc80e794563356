import { describe, expect, it } from "vitest";
import { noDetails } from "../acquirer.ts";
import { InvalidReplyError } from "../errors.ts";
import { readPayment } from "./payment-replies.ts";

const sent = { reference: "att_1", amount: { value: 4900, currency: "EUR" } };
const read = (body: unknown) => readPayment("an authorization request", body, sent);
const authorised = {
  resultCode: "Authorised",
  pspReference: "993617895204576J",
  merchantReference: "att_1",
  amount: { value: 4900, currency: "EUR" },
  additionalData: {
    authCode: "044925",
    avsResult: "4 AVS not supported for this card type",
    cvcResult: "1 Matches",
    networkTxReference: "MCC123456 0101",
    refusalReasonRaw: "AUTHORISED",
    expiryDate: "3/2030",
    cardSummary: "4242",
  },
};
const refused = { resultCode: "Refused", pspReference: "993617895204576J", merchantReference: "att_1" };

describe("readPayment", () => {
  it("reads an approval and its details, but nothing about the card", () => {
    expect(read(authorised)).toEqual({
      status: "approved",
      details: {
        acquirerId: "993617895204576J",
        authorizationCode: "044925",
        avsResult: "4 AVS not supported for this card type",
        cvcResult: "1 Matches",
        networkTransactionId: "MCC123456 0101",
        refusal: null,
      },
    });
  });

  it("reads an approval without optional fields", () => {
    expect(read({ ...authorised, additionalData: undefined })).toEqual({
      status: "approved",
      details: { ...noDetails, acquirerId: "993617895204576J" },
    });
  });

  it.each(["merchantReference", "amount"])("throws for an approval without %s", (name) => {
    expect(() => read({ ...authorised, [name]: undefined })).toThrow(InvalidReplyError);
  });

  it("reads a refusal with its code and the issuer's words", () => {
    const body = {
      ...refused,
      refusalReason: "Not enough balance",
      refusalReasonCode: "12",
      additionalData: { refusalReasonRaw: "51 : Insufficient funds" },
    };
    expect(read(body)).toEqual({
      status: "declined",
      declineCode: "insufficient_funds",
      details: {
        ...noDetails,
        acquirerId: "993617895204576J",
        refusal: { code: "12", reason: "51 : Insufficient funds" },
      },
    });
  });

  it("falls back to Adyen's words", () => {
    const body = {
      ...refused,
      refusalReason: "Refused",
      refusalReasonCode: "2",
      additionalData: { refusalReasonRaw: null },
    };
    expect(read(body)).toMatchObject({
      declineCode: "generic_decline",
      details: { refusal: { code: "2", reason: "Refused" } },
    });
  });

  it("drops words that contain the card number", () => {
    const body = { ...refused, refusalReason: "Card 4242424242424242 refused" };
    expect(read(body)).toMatchObject({ status: "declined", details: { refusal: null } });
  });

  it("keeps Adyen's words if the issuer's contain the card number", () => {
    const additionalData = { refusalReasonRaw: "14 : 4242 4242 4242 4242 unknown" };
    expect(read({ ...refused, refusalReason: "Invalid card", refusalReasonCode: "8", additionalData })).toMatchObject({
      declineCode: "incorrect_number",
      details: { refusal: { code: "8", reason: "Invalid card" } },
    });
  });

  it.each([
    ["05 : Refused by the issuer", "05 : Refused by the issuer"],
    ["62: No online payments", "62: No online payments"],
    ["R3 : Plan ended", "R3 : Plan ended"],
    ["2", "2"],
    ["", "Not approved"],
    [null, "Not approved"],
    [5, "Not approved"],
  ])("reads a refusal with the issuer's words %j and no code", (refusalReasonRaw, reason) => {
    const additionalData = { refusalReasonRaw, merchantAdviceCode: "03 : Don't retry" };
    expect(read({ ...refused, refusalReason: "Not approved", additionalData })).toEqual({
      status: "declined",
      declineCode: "generic_decline",
      details: { ...noDetails, acquirerId: "993617895204576J", refusal: { code: null, reason } },
    });
  });

  it.each<[string, object]>([
    ["absent", {}],
    ["null", { refusalReason: null, refusalReasonCode: null, additionalData: { refusalReasonRaw: null } }],
    ["of another type", { refusalReason: ["no"], refusalReasonCode: 12, additionalData: "no" }],
  ])("reads a refusal whose reasons are %s", (_name, changes) => {
    expect(read({ ...refused, ...changes })).toEqual({
      status: "declined",
      declineCode: "generic_decline",
      details: { ...noDetails, acquirerId: "993617895204576J" },
    });
  });

  it("reads a refusal without a pspReference", () => {
    expect(read({ resultCode: "Refused", refusalReasonCode: "6" })).toEqual({
      status: "declined",
      declineCode: "expired_card",
      details: { ...noDetails, refusal: { code: "6", reason: null } },
    });
  });

  it("reads the address and CVC checks of a refusal, but not its risk results", () => {
    const additionalData = {
      avsResult: "2 Neither matches",
      cvcResult: "2 Doesn't match",
      fraudResultType: "RED",
      "retry.attempt1.rawResponse": "82 : CVC",
    };
    const fraudResult = { accountScore: 100, results: [{ name: "Velocity" }] };
    expect(read({ ...refused, refusalReasonCode: "24", additionalData, fraudResult })).toEqual({
      status: "declined",
      declineCode: "incorrect_cvc",
      details: {
        ...noDetails,
        acquirerId: "993617895204576J",
        avsResult: "2 Neither matches",
        cvcResult: "2 Doesn't match",
        refusal: { code: "24", reason: null },
      },
    });
  });

  it("reads a payment that was canceled because of its risk", () => {
    const body = { ...refused, resultCode: "Cancelled", refusalReason: "FRAUD-CANCELLED", refusalReasonCode: "22" };
    expect(read(body)).toMatchObject({
      status: "declined",
      declineCode: "fraudulent",
      details: { refusal: { code: "22", reason: "FRAUD-CANCELLED" } },
    });
  });

  it("reads a refusal after a failed authentication, but not the result of 3-D Secure", () => {
    const additionalData = {
      "threeds2.threeDS2Result.transStatus": "N",
      "threeds2.threeDS2Result.authenticationValue": "AAABCZIhcQAAAABZlyFxAAAAAAA=",
    };
    const refusalReason = "3D Not Authenticated";
    expect(read({ ...refused, refusalReason, refusalReasonCode: "11", additionalData })).toEqual({
      status: "declined",
      declineCode: "authentication_required",
      details: { ...noDetails, acquirerId: "993617895204576J", refusal: { code: "11", reason: refusalReason } },
    });
  });

  it.each<[string, unknown]>([
    ["an error", { status: 422, errorCode: "101", errorType: "validation", pspReference: "993617895204576J" }],
    ["a refusal in another field", { pspReference: "993617895204576J", response: "Refused" }],
    ["a refusal reason without a result", { ...refused, resultCode: undefined, refusalReasonCode: "6" }],
    ["an object without fields", {}],
    ["null", null],
    ["a text", "Refused"],
  ])("throws for %s", (_name, body) => {
    expect(() => read(body)).toThrow(InvalidReplyError);
  });

  it.each([
    ["Error", undefined, "processing_error"],
    ["Error", "99", "processing_error"],
    ["Error", "9", "issuer_not_available"],
    ["Cancelled", "15", "generic_decline"],
    ["Cancelled", "22", "fraudulent"],
    ["Refused", undefined, "generic_decline"],
    ["Refused", "99", "generic_decline"],
  ])("reads %s with code %j as %s", (resultCode, refusalReasonCode, declineCode) => {
    expect(read({ ...refused, resultCode, refusalReasonCode })).toMatchObject({ status: "declined", declineCode });
  });

  it.each(["Received", "Pending"])("reads %s as pending", (resultCode) => {
    expect(read({ resultCode, pspReference: "993617895204576J" })).toEqual({
      status: "pending",
      details: { ...noDetails, acquirerId: "993617895204576J" },
    });
  });

  it.each([
    "RedirectShopper",
    "IdentifyShopper",
    "ChallengeShopper",
    "PresentToShopper",
    "AuthenticationFinished",
    "AuthenticationNotRequired",
    "PartiallyAuthorised",
    "Success",
    "authorised",
    undefined,
    ["Authorised"],
  ])("throws for the result %j", (resultCode) => {
    expect(() => read({ ...authorised, resultCode })).toThrow(InvalidReplyError);
  });

  it.each<[string, unknown]>([
    ["for another payment", { ...authorised, merchantReference: "att_2" }],
    ["without a reference of ours", { ...authorised, merchantReference: null }],
    ["for a smaller amount", { ...authorised, amount: { value: 4800, currency: "EUR" } }],
    ["for another currency", { ...authorised, amount: { value: 4900, currency: "USD" } }],
    ["for an amount in text", { ...authorised, amount: { value: "4900", currency: "EUR" } }],
    ["of a part", { ...authorised, additionalData: { authorisedAmountValue: "100", authorisedAmountCurrency: "EUR" } }],
    ["in another currency", { ...authorised, additionalData: { authorisedAmountCurrency: "USD" } }],
    ["without a pspReference", { ...authorised, pspReference: undefined }],
    ["in an array", [authorised]],
    ["that isn't JSON", undefined],
  ])("throws for an approval %s", (_name, body) => {
    expect(() => read(body)).toThrow(InvalidReplyError);
  });

  it("accepts an approval whose authorized amount is ours", () => {
    const additionalData = { authorisedAmountValue: "4900", authorisedAmountCurrency: "EUR" };
    expect(read({ ...authorised, additionalData })).toMatchObject({ status: "approved" });
  });

  it("throws for a refusal of another payment", () => {
    expect(() => read({ ...refused, merchantReference: "att_2" })).toThrow(InvalidReplyError);
  });

  it("drops details of the wrong type or size", () => {
    const additionalData = { authCode: 44925, avsResult: "", cvcResult: "x".repeat(129), networkTxReference: "a\0" };
    expect(read({ ...authorised, additionalData })).toEqual({
      status: "approved",
      details: { ...noDetails, acquirerId: "993617895204576J" },
    });
  });
});
