import { describe, expect, it } from "vitest";
import { InvalidReplyError } from "../errors.ts";
import { readAuthentication, type SentAuthentication } from "./authentication-replies.ts";
import type { AuthenticationState } from "./authentication-requests.ts";

const threeDSServerTransID = "8a880dc0-d2d2-4067-bcb1-b08d1690b26e";
const acsTransID = "d7c1ee99-9478-44a6-b1f2-391e29c6b340";
const dsTransID = "f25084f0-5b16-4c0a-ae5d-b24808a95e4b";
const other = "00000000-0000-4000-8000-000000000001";

const first: SentAuthentication = {
  reference: "aut_1",
  amount: { value: 4900, currency: "EUR" },
  mode: "live",
  state: null,
};
const stateOf = (step: AuthenticationState["step"]): AuthenticationState => ({
  step,
  threeDSServerTransID,
  paymentData: "data",
  authorisationToken: "token",
});
const afterMethod = { ...first, state: stateOf("method") };
const afterChallenge = { ...first, state: stateOf("challenge") };
const read = (body: unknown, sent: SentAuthentication = first) =>
  readAuthentication("an authentication request", body, sent);

const encode = (token: unknown) => Buffer.from(JSON.stringify(token)).toString("base64");
const methodToken = {
  threeDSMethodUrl: "https://issuer.example/method",
  threeDSMethodNotificationURL: "https://adyen.example/notification",
  threeDSServerTransID,
};
const challengeToken = {
  acsURL: "https://issuer.example/challenge",
  acsTransID,
  messageVersion: "2.2.0",
  threeDSNotificationURL: "https://pay.example/3ds/challenge",
  threeDSServerTransID,
};
const tokens = { paymentData: "data", authorisationToken: "token", paymentMethodType: "scheme", type: "threeDS2" };
const identify = (token: unknown = methodToken, changes: object = {}) => ({
  resultCode: "IdentifyShopper",
  action: { ...tokens, subtype: "fingerprint", token: encode(token), ...changes },
});
const challenge = (token: unknown = challengeToken, changes: object = {}) => ({
  resultCode: "ChallengeShopper",
  action: { ...tokens, subtype: "challenge", token: encode(token), ...changes },
});
const result = {
  transStatus: "Y",
  eci: "05",
  authenticationValue: "AAIBBYNoEwAAAAAAhIOHdQAAAAA=",
  dsTransID,
  messageVersion: "2.2.0",
  threeDSServerTransID,
};
const finished = (changes: object = {}, more: object = {}) => ({
  resultCode: "AuthenticationFinished",
  pspReference: "993617895204576J",
  merchantReference: "aut_1",
  threeDS2Result: { ...result, ...changes },
  ...more,
});

describe("IdentifyShopper", () => {
  it("leads to the 3DS Method, with the state that the next request needs", () => {
    const reply = read(identify());
    expect(reply).toEqual({
      step: "method",
      methodUrl: "https://issuer.example/method",
      threeDSServerTransID,
      state: stateOf("method"),
    });
    expect(JSON.parse(JSON.stringify(reply))).toEqual(reply);
  });

  it.each([undefined, null, ""])("has no method if its URL is %j", (threeDSMethodUrl) => {
    expect(read(identify({ ...methodToken, threeDSMethodUrl }))).toMatchObject({ step: "method", methodUrl: null });
  });

  it("doesn't need an authorisationToken", () => {
    const reply = read(identify(methodToken, { authorisationToken: undefined }));
    expect(reply).toMatchObject({ state: { paymentData: "data", authorisationToken: null } });
  });

  it.each<[string, unknown, SentAuthentication?]>([
    ["without an action", { resultCode: "IdentifyShopper" }],
    ["with another action", identify(methodToken, { type: "redirect" })],
    ["with the action of a challenge", { ...challenge(), resultCode: "IdentifyShopper" }],
    ["without paymentData", identify(methodToken, { paymentData: undefined })],
    ["with oversized paymentData", identify(methodToken, { paymentData: "x".repeat(200_001) })],
    ["without a token", identify(methodToken, { token: undefined })],
    ["with a token that isn't base64", identify(methodToken, { token: "{}" })],
    ["with a token that isn't JSON", identify(methodToken, { token: "e30x" })],
    ["with a token that isn't an object", identify("token")],
    ["with an oversized token", identify({ ...methodToken, more: "x".repeat(30_000) })],
    ["without a transaction ID", identify({ ...methodToken, threeDSServerTransID: undefined })],
    ["with an invalid transaction ID", identify({ ...methodToken, threeDSServerTransID: "1" })],
    ["after the 3DS Method", identify(), afterMethod],
    ["after a challenge", identify(), afterChallenge],
  ])("is refused %s", (_name, body, sent) => {
    expect(() => read(body, sent)).toThrow(InvalidReplyError);
  });
});

describe("ChallengeShopper", () => {
  it.each([first, afterMethod])("leads to a challenge (state: $state.step)", (sent) => {
    expect(read(challenge(), sent)).toEqual({
      step: "challenge",
      acsUrl: "https://issuer.example/challenge",
      acsTransID,
      threeDSServerTransID,
      messageVersion: "2.2.0",
      state: stateOf("challenge"),
    });
  });

  it.each([{ paymentData: undefined }, { authorisationToken: undefined }])("needs one of the tokens: %j", (changes) => {
    expect(read(challenge(challengeToken, changes))).toMatchObject({ step: "challenge" });
  });

  it.each<[string, unknown, SentAuthentication?]>([
    ["without an action", { resultCode: "ChallengeShopper" }],
    ["with the action of the 3DS Method", { ...identify(), resultCode: "ChallengeShopper" }],
    ["without tokens", challenge(challengeToken, { paymentData: undefined, authorisationToken: "" })],
    ["without a URL", challenge({ ...challengeToken, acsURL: undefined })],
    ["without an ACS transaction ID", challenge({ ...challengeToken, acsTransID: "" })],
    ["with another protocol's version", challenge({ ...challengeToken, messageVersion: "1.0.2" })],
    ["about another authentication", challenge({ ...challengeToken, threeDSServerTransID: other }), afterMethod],
    ["after a challenge", challenge(), afterChallenge],
  ])("is refused %s", (_name, body, sent) => {
    expect(() => read(body, sent)).toThrow(InvalidReplyError);
  });
});

describe("the issuer's URLs", () => {
  const both = (url: unknown, mode: "test" | "live") => [
    () => read(identify({ ...methodToken, threeDSMethodUrl: url }), { ...first, mode }),
    () => read(challenge({ ...challengeToken, acsURL: url }), { ...first, mode }),
  ];

  it.each(["http://localhost:4100/acs", "http://bank.localhost/acs", "http://127.0.0.1:4100/acs"])(
    "may be %s in test mode only",
    (url) => {
      for (const run of both(url, "test")) expect(run).not.toThrow();
      for (const run of both(url, "live")) expect(run).toThrow(InvalidReplyError);
    },
  );

  it.each([
    "http://issuer.example/acs",
    "http://localhost.example/acs",
    "https://user:password@issuer.example/acs",
    "javascript:alert(1)",
    "/acs",
    "https:acs",
    "https:/acs",
    "https:\\acs",
    " https://issuer.example/acs",
    `https://issuer.example/${"x".repeat(2048)}`,
    7,
    ["https://issuer.example"],
  ])("mustn't be %j", (url) => {
    for (const run of both(url, "test")) expect(run).toThrow(InvalidReplyError);
  });
});

describe("AuthenticationFinished", () => {
  it("has the proof of a frictionless authentication", () => {
    expect(read(finished())).toEqual({
      step: "result",
      threeDSServerTransID,
      transStatus: "Y",
      transStatusReason: null,
      challengeCancel: null,
      cardholderInfo: null,
      proof: {
        version: "2.2.0",
        dsTransId: dsTransID,
        eci: "05",
        authenticationValue: "AAIBBYNoEwAAAAAAhIOHdQAAAAA=",
        authenticationStatus: "Y",
      },
    });
  });

  it("has the statuses before and after a challenge", () => {
    expect(read(finished(), afterChallenge)).toMatchObject({
      proof: { authenticationStatus: "C", challengeStatus: "Y" },
    });
    const reply = read(finished(), afterMethod);
    expect(reply).toMatchObject({ proof: { authenticationStatus: "Y" } });
    expect(reply).not.toHaveProperty("proof.challengeStatus");
  });

  it.each(["A", "N", "U", "R", "I"])("can have the status %s", (transStatus) => {
    expect(read(finished({ transStatus }))).toMatchObject({
      transStatus,
      proof: { authenticationStatus: transStatus },
    });
  });

  it("has the reason, who canceled, and the issuer's message", () => {
    const failed = { transStatus: "U", transStatusReason: "01", challengeCancel: "01" };
    const body = finished(failed, { threeDS2ResponseData: { cardHolderInfo: "Call your bank." } });
    expect(read(body, afterChallenge)).toMatchObject({ ...failed, cardholderInfo: "Call your bank." });
    const elsewhere = finished(failed, { additionalData: { cardHolderInfo: "Call us." } });
    expect(read(elsewhere)).toMatchObject({ cardholderInfo: "Call us." });
  });

  it.each(["N", "U", "R"])("needs no proof for %s", (transStatus) => {
    const body = { ...finished(), threeDS2Result: { transStatus } };
    expect(read(body)).toMatchObject({ step: "result", transStatus, proof: null });
  });

  it("needs no authenticationValue if a card is only verified", () => {
    const body = finished({ authenticationValue: undefined });
    const verification = { ...first, amount: { value: 0, currency: "EUR" } };
    expect(read(body, verification)).toMatchObject({ transStatus: "Y", proof: { eci: "05" } });
  });

  it("drops fields that are invalid", () => {
    const invalid = { transStatusReason: 1, challengeCancel: "001", eci: "5" };
    const reply = read(finished({ transStatus: "N", ...invalid }, { additionalData: { cardHolderInfo: "" } }));
    expect(reply).toMatchObject({ transStatusReason: null, challengeCancel: null, cardholderInfo: null });
    expect(reply).not.toHaveProperty("proof.eci");
  });

  it.each<[string, unknown, SentAuthentication?]>([
    ["without a result", { ...finished(), threeDS2Result: undefined }],
    ["without a status", finished({ transStatus: undefined })],
    ["with the status C", finished({ transStatus: "C" })],
    ["with the status D", finished({ transStatus: "D" })],
    ["for Y without an authenticationValue", finished({ authenticationValue: undefined })],
    ["for A without an authenticationValue", finished({ transStatus: "A", authenticationValue: "" })],
    ["for Y without a dsTransID", finished({ dsTransID: undefined })],
    ["for I without a version", finished({ transStatus: "I", messageVersion: undefined })],
    ["about another authentication", finished({ threeDSServerTransID: other }), afterChallenge],
    ["about another payment", finished({}, { merchantReference: "aut_2" })],
  ])("is refused %s", (_name, body, sent) => {
    expect(() => read(body, sent)).toThrow(InvalidReplyError);
  });
});

describe("every other response", () => {
  it.each([first, afterMethod])("may say that authentication isn't required (state: $state.step)", (sent) => {
    const body = { resultCode: "AuthenticationNotRequired", pspReference: "993617895204576J" };
    expect(read(body, sent)).toEqual({ step: "not_required" });
  });

  it("can't say that authentication isn't required after a challenge", () => {
    expect(() => read({ resultCode: "AuthenticationNotRequired" }, afterChallenge)).toThrow(InvalidReplyError);
  });

  it.each([
    ["Refused", "11", "authentication_required"],
    ["Refused", "42", "authentication_failed"],
    ["Cancelled", undefined, "generic_decline"],
    ["Error", undefined, "processing_error"],
  ])("%s with the code %j is a decline", (resultCode, refusalReasonCode, declineCode) => {
    const body = { resultCode, refusalReasonCode, refusalReason: "Refused", pspReference: "993617895204576J" };
    expect(read(body, afterChallenge)).toEqual({ step: "declined", declineCode });
  });

  it.each([
    "Authorised",
    "PartiallyAuthorised",
    "Received",
    "Pending",
    "RedirectShopper",
    "PresentToShopper",
    "Success",
    "authenticationFinished",
    undefined,
    ["AuthenticationFinished"],
  ])("is refused with the resultCode %j", (resultCode) => {
    expect(() => read({ ...finished(), resultCode })).toThrow(InvalidReplyError);
  });

  it.each([undefined, null, "AuthenticationFinished", [finished()]])("is refused if it's %j", (body) => {
    expect(() => read(body)).toThrow(InvalidReplyError);
  });

  it("contains nothing of the response in an error", () => {
    const bodies = [
      finished({ transStatus: "4242424242424242" }),
      challenge({ ...challengeToken, acsURL: "http://4242424242424242.example" }),
      { resultCode: "4242424242424242" },
    ];
    for (const body of bodies) expect(() => read(body)).toThrow(/^(?!.*4242).*$/s);
  });
});
