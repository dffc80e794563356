import { describe, expect, it } from "vitest";
import { noDetails } from "../acquirer.ts";
import { InvalidReplyError } from "../errors.ts";
import { modification, readModification, technicalCancel } from "./modifications.ts";

const operation = {
  reference: "ref_2",
  isRepeated: false,
  authorization: { reference: "att_1", acquirerId: "993617894903480A" },
};
const amount = { value: 2000, currency: "EUR" };
const received = {
  merchantAccount: "OrielTest",
  paymentPspReference: "993617894903480A",
  reference: "ref_2",
  pspReference: "993617894906488A",
  status: "received",
  amount,
};

describe("modification", () => {
  it.each(["captures", "refunds"] as const)("builds a request for %s with the amount", (kind) => {
    expect(modification(kind, operation, "OrielTest", amount)).toMatchObject({
      path: `/payments/993617894903480A/${kind}`,
      body: { merchantAccount: "OrielTest", reference: "ref_2", amount },
    });
  });

  it.each(["cancels", "reversals"] as const)("builds a request for %s without an amount", (kind) => {
    const { path, body } = modification(kind, operation, "OrielTest");
    expect(path).toBe(`/payments/993617894903480A/${kind}`);
    expect(body).toEqual({ merchantAccount: "OrielTest", reference: "ref_2" });
  });

  it("refuses an authorization without Adyen's ID", () => {
    const authorization = { reference: "att_1", acquirerId: null };
    expect(() => modification("cancels", { ...operation, authorization }, "OrielTest")).toThrow(RangeError);
  });

  it("escapes Adyen's ID in the path", () => {
    const authorization = { reference: "att_1", acquirerId: "a/../b?c" };
    expect(modification("cancels", { ...operation, authorization }, "OrielTest").path).toBe(
      "/payments/a%2F..%2Fb%3Fc/cancels",
    );
  });
});

describe("technicalCancel", () => {
  it("refers to the payment by our reference", () => {
    expect(technicalCancel({ reference: "rev_3", authorizationReference: "att_1" }, "OrielTest")).toEqual({
      path: "/cancels",
      body: { merchantAccount: "OrielTest", reference: "rev_3", paymentReference: "att_1" },
    });
  });
});

describe("readModification", () => {
  const refund = modification("refunds", operation, "OrielTest", amount);
  const read = (body: unknown, sent = refund) => readModification("a refund request", body, sent);

  it("is pending with the modification's own ID", () => {
    expect(read(received)).toEqual({
      status: "pending",
      details: { ...noDetails, acquirerId: "993617894906488A" },
    });
  });

  it("accepts a response without our reference, which Adyen doesn't require", () => {
    expect(read({ ...received, reference: undefined })).toMatchObject({ status: "pending" });
  });

  it.each<[string, unknown]>([
    ["with another status", { ...received, status: "Authorised" }],
    ["without a status", { ...received, status: undefined }],
    ["without a pspReference", { ...received, pspReference: "" }],
    ["for another request", { ...received, reference: "ref_9" }],
    ["for another payment", { ...received, paymentPspReference: "993617894903480B" }],
    ["without a payment", { ...received, paymentPspReference: undefined }],
    ["for another amount", { ...received, amount: { value: 1999, currency: "EUR" } }],
    ["for another currency", { ...received, amount: { value: 2000, currency: "USD" } }],
    ["without an amount", { ...received, amount: undefined }],
    ["that isn't JSON", undefined],
    ["with no fields", {}],
    ["that is an error", { ...received, status: 422, errorCode: "167", errorType: "validation" }],
    ["in the format of Adyen's older API", { ...received, status: undefined, response: "[refund-received]" }],
    ["that refuses at once", { ...received, status: undefined, response: "Refused" }],
    ["that is a refused payment", { ...received, status: undefined, resultCode: "Refused" }],
  ])("throws for a response %s", (_name, body) => {
    expect(() => read(body)).toThrow(InvalidReplyError);
  });

  it("reads the response to a cancellation, which has no amount", () => {
    const cancel = modification("cancels", operation, "OrielTest");
    const { amount: _amount, ...body } = received;
    expect(read(body, cancel)).toMatchObject({ status: "pending" });
  });

  it("reads the response to a technical cancel only for the payment's reference", () => {
    const cancel = technicalCancel({ reference: "rev_3", authorizationReference: "att_1" }, "OrielTest");
    const body = {
      merchantAccount: "OrielTest",
      paymentReference: "att_1",
      reference: "rev_3",
      pspReference: "993617894906488A",
      status: "received",
    };
    expect(read(body, cancel)).toMatchObject({ status: "pending", details: { acquirerId: "993617894906488A" } });
    expect(() => read({ ...body, paymentReference: "att_2" }, cancel)).toThrow(InvalidReplyError);
    expect(() => read({ ...body, paymentReference: undefined }, cancel)).toThrow(InvalidReplyError);
  });
});
