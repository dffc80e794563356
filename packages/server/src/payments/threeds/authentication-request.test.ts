import { describe, expect, it } from "vitest";
import type { Row } from "../../platform/storage/tables.ts";
import { authenticationRequest, type Enrolled } from "./authentication-request.ts";

const context = {
  config: { apiUrl: "https://api.example", checkoutOrigin: "https://pay.example" },
  now: () => new Date("2026-06-01T12:34:56.789Z"),
} as Parameters<typeof authenticationRequest>[0]; // Only the fields that the request uses.

// Only the fields of both rows that the request uses.
const authentication = {
  id: "11111111-1111-4111-8111-111111111111",
  version: "2.3.1",
  is_step_up: false,
  method_url: "https://bank.example/method",
  method_notified: true,
  method_id: null,
  browser: {},
  browser_accept: "text/html",
  browser_ip: "192.0.2.1",
  browser_user_agent: "Test browser",
} as Enrolled;
const decision = {
  account_no: 1,
  livemode: false,
  amount: 4900,
  currency: "eur",
  risk_level: "normal",
  acquirer_merchant_id: null,
} as Row<"decision">;

const request = (changes: Partial<Enrolled> = {}, money: Partial<Row<"decision">> = {}) =>
  authenticationRequest(context, { ...authentication, ...changes }, { ...decision, ...money }, "Test Shop", null);

describe("an authentication request", () => {
  it("contains the merchant ID of the live acquirer if the decision has one", () => {
    expect(request()).not.toHaveProperty("acquirerMerchantID");
    expect(request({}, { acquirer_merchant_id: "kiln-1" })).toMatchObject({
      merchantName: "Test Shop",
      acquirerMerchantID: "kiln-1",
    });
  });

  it("contains the amount and the URLs for responses", () => {
    expect(request()).toMatchObject({
      messageType: "AReq",
      messageVersion: "2.3.1",
      messageCategory: "01",
      threeDSServerTransID: authentication.id,
      threeDSServerURL: "https://api.example/3ds/results/00000000002",
      notificationURL: "https://pay.example/3ds/challenge/00000000002",
      purchaseAmount: "4900",
      purchaseCurrency: "978",
      purchaseExponent: "2",
      purchaseDate: "20260601123456",
    });
    expect(request({}, { currency: "jpy" })).toMatchObject({ purchaseCurrency: "392", purchaseExponent: "0" });
    expect(request({}, { amount: 0 })).toMatchObject({ messageCategory: "02" });
  });

  const [risky, none] = [{ risk_level: "elevated" } as const, {}];
  it.each([
    ["2.2.0", false, none, "01"],
    ["2.2.0", false, risky, "04"],
    ["2.2.0", true, none, "04"],
    ["2.3.1", false, none, ["01"]],
    ["2.3.1", false, risky, ["04"]],
    ["2.3.1", true, none, ["13"]],
    ["2.3.1", true, risky, ["13"]],
  ] as const)(
    "of version %s (step-up: %s, risk: %o) has the challenge indicator %j",
    (version, is_step_up, risk, indicator) => {
      expect(request({ version, is_step_up }, risk)).toMatchObject({ threeDSRequestorChallengeInd: indicator });
    },
  );

  it("requests decoupled authentication for ten minutes, in version 2.3.1 only", () => {
    const decoupled = { threeDSRequestorDecReqInd: "F", threeDSRequestorDecMaxTime: "00010" };
    expect(request()).toMatchObject(decoupled);
    const older = request({ version: "2.2.0" });
    expect(older).toMatchObject({ threeDSRequestorDecReqInd: "N" });
    expect(older).not.toHaveProperty("threeDSRequestorDecMaxTime");
  });

  it.each([
    [{}, { threeDSCompInd: "Y" }],
    [{ method_notified: false }, { threeDSCompInd: "N" }],
    [{ method_url: null, method_notified: false }, { threeDSCompInd: "U" }],
    [
      { method_id: "an earlier one", method_notified: false },
      { threeDSCompInd: "Y", threeDSMethodId: "an earlier one" },
    ],
  ])("reports the 3DS Method state %o as %o", (changes, reported) => {
    const { threeDSCompInd, threeDSMethodId } = request(changes);
    expect({ threeDSCompInd, threeDSMethodId }).toEqual({ threeDSMethodId: undefined, ...reported });
  });
});
