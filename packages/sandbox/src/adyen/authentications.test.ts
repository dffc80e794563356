import type { FastifyInstance } from "fastify";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { testCards, type ThreeDSecureScenario } from "@oriel/protocol/test-cards";
import {
  apiKey,
  authenticationRequest,
  challengeDetails,
  methodDetails,
  openChallenge,
  postToAdyen,
  runMethod,
  submit,
  tokenOf,
  type Body,
} from "../../test/adyen-authentication-client.ts";
import { merchantAccount, paymentRequest } from "../../test/adyen-client.ts";
import { createTestBank, decode, get, notificationURL, origin, readForm } from "../../test/bank-client.ts";
import { createManualClock, type ManualClock } from "../../test/manual-clock.ts";
import type { AuthenticationRequest } from "./authentication-messages.ts";

let clock: ManualClock;
let bank: FastifyInstance;
beforeEach(async () => {
  clock = createManualClock();
  bank = await createTestBank({ clock, adyen: { apiKey, merchantAccount } });
});
afterEach(() => bank.close());

async function send(path: string, payload: object): Promise<Body> {
  const response = await postToAdyen(bank, path, payload);
  expect(response.statusCode).toBe(200);
  return response.json();
}

const begin = (scenario: ThreeDSecureScenario, changes?: Partial<AuthenticationRequest>) =>
  send("/payments", authenticationRequest(scenario, changes));
const proceed = (payload: object) => send("/payments/details", payload);

/** Begins, and runs the 3DS Method. The card must have one. */
async function afterMethod(scenario: ThreeDSecureScenario, changes?: Partial<AuthenticationRequest>): Promise<Body> {
  const begun = await begin(scenario, changes);
  expect(begun.resultCode).toBe("IdentifyShopper");
  return await proceed(methodDetails(begun));
}

const expectRefusal = async (path: string, payload: object) => {
  const response = await postToAdyen(bank, path, payload);
  expect([response.statusCode, response.json().errorType]).toEqual([422, "validation"]);
};

/** What the directory server recorded last. */
const record = async () => (await get(bank, "/directory-server/authentications")).json().authentications.at(-1);

/** Pays with the proof. */
async function payWith(scenario: ThreeDSecureScenario, { threeDS2Result, threeDS2ResponseData }: Body) {
  const { messageVersion, dsTransID = "", eci = "", authenticationValue: cavv = "", transStatus } = threeDS2Result;
  const { paymentMethod } = authenticationRequest(scenario);
  const directoryResponse = threeDS2ResponseData["transStatus"];
  const statuses =
    directoryResponse === "C" ? { directoryResponse, authenticationResponse: transStatus } : { directoryResponse };
  const mpiData = { threeDSVersion: messageVersion, dsTransID, eci, cavv, ...statuses };
  return await send("/payments", paymentRequest(paymentMethod.number, { mpiData }));
}

const uuid = expect.stringMatching(/^[0-9a-f-]{36}$/);

describe("a card without 3-D Secure", () => {
  it.each(["not_enrolled", "network_not_supported", "version_2_3_1"] as const)(
    "doesn't require authentication: %s",
    async (scenario) => {
      expect(await begin(scenario)).toEqual({
        resultCode: "AuthenticationNotRequired",
        threeDSPaymentData: expect.any(String),
        pspReference: expect.stringMatching(/^[0-9A-Z]{16}$/),
        merchantReference: "authentication-1",
      });
    },
  );
});

describe("an authentication that is decided at once", () => {
  it.each<[ThreeDSecureScenario, object]>([
    ["frictionless_without_method", { transStatus: "Y", eci: "05", authenticationValue: expect.any(String) }],
    ["attempted", { transStatus: "A", eci: "06", authenticationValue: expect.any(String) }],
    ["not_authenticated", { transStatus: "N", transStatusReason: "01" }],
    ["rejected", { transStatus: "R", transStatusReason: "11" }],
    ["unavailable", { transStatus: "U", transStatusReason: "22" }],
    ["decoupled", { transStatus: "U", transStatusReason: "23" }],
  ])("finishes with the issuer's result: %s", async (scenario, result) => {
    const body = await begin(scenario);
    expect(body.resultCode).toBe("AuthenticationFinished");
    expect(body.threeDS2Result).toEqual({
      threeDSServerTransID: uuid,
      dsTransID: uuid,
      messageVersion: "2.2.0",
      timestamp: new Date(clock.now()).toISOString(),
      ...result,
    });
    expect(body.threeDS2ResponseData["transStatus"]).toBe(body.threeDS2Result["transStatus"]);
    expect(await record()).toMatchObject({ threeDSCompInd: "U", messages: { AReq: 1, RReq: 0 } });
  });

  it("shows the issuer's message", async () => {
    const cardHolderInfo = expect.stringContaining("Please call");
    expect(await begin("not_authenticated")).toMatchObject({
      additionalData: { cardHolderInfo },
      threeDS2ResponseData: { cardHolderInfo },
    });
  });

  it("is informational for a data-only request", async () => {
    const { threeDS2RequestData } = authenticationRequest("informational");
    const body = await begin("informational", {
      threeDS2RequestData: { ...threeDS2RequestData, threeDSRequestorChallengeInd: "06" },
    });
    expect(body.threeDS2Result).toMatchObject({ transStatus: "I" });
  });

  it.each(["directory_server_timeout", "lookup_error", "request_refused"] as const)(
    "is refused if the directory server returns an error: %s",
    async (scenario) => {
      expect(await begin(scenario)).toMatchObject({ resultCode: "Refused", refusalReasonCode: "42" });
    },
  );

  it("isn't a payment, but its proof is accepted for one", async () => {
    const body = await begin("frictionless_without_method");
    const url = "/adyen/control/ledger/authentication-1";
    const ledger = await bank.inject({ method: "GET", url, headers: { "x-api-key": apiKey } });
    expect(ledger.json()).toEqual({ payments: [], entries: [], balances: {} });
    expect(await payWith("frictionless_without_method", body)).toMatchObject({ resultCode: "Authorised" });
  });
});

describe("the 3DS Method", () => {
  it("is the issuer's own page, which returns to the shop", async () => {
    const begun = await begin("frictionless");
    expect(begun).toEqual({
      resultCode: "IdentifyShopper",
      action: {
        type: "threeDS2",
        subtype: "fingerprint",
        paymentMethodType: "scheme",
        paymentData: expect.any(String),
        authorisationToken: expect.any(String),
        token: expect.any(String),
      },
    });
    expect(tokenOf(begun)).toEqual({
      threeDSMethodUrl: `${origin}/acs/method`,
      threeDSMethodNotificationURL: expect.any(String),
      threeDSServerTransID: uuid,
    });
    const page = await runMethod(bank, begun);
    expect(readForm(page.body).action).toBe("http://pay.localhost:5998/3ds/method");
    const finished = await proceed(methodDetails(begun));
    expect(finished.threeDS2Result).toMatchObject({
      transStatus: "Y",
      threeDSServerTransID: tokenOf(begun)["threeDSServerTransID"],
    });
    expect(await record()).toMatchObject({ threeDSCompInd: "Y", methodUserAgent: "Test browser" });
  });

  it.each(["N", "U"])("can end without completing: %s", async (threeDSCompInd) => {
    const begun = await begin("method_timeout");
    expect(await proceed(methodDetails(begun, threeDSCompInd))).toMatchObject({ resultCode: "AuthenticationFinished" });
    expect(await record()).toMatchObject({ threeDSCompInd, methodUserAgent: null });
  });

  it("can be completed once", async () => {
    const begun = await begin("frictionless");
    await proceed(methodDetails(begun));
    await expectRefusal("/payments/details", methodDetails(begun));
  });
});

describe("a challenge", () => {
  it("is on the ACS's page, which returns to the shop", async () => {
    const challenged = await afterMethod("challenge");
    expect(challenged).toMatchObject({ resultCode: "ChallengeShopper", action: { subtype: "challenge" } });
    expect(tokenOf(challenged)).toEqual({
      acsURL: `${origin}/acs/challenge`,
      acsTransID: uuid,
      messageVersion: "2.2.0",
      threeDSServerTransID: uuid,
      threeDSNotificationURL: notificationURL,
    });
    const page = await openChallenge(bank, challenged);
    for (const shown of ["€49.00", "Northwind Ledger"]) expect(page.body).toContain(shown);
    const form = readForm((await submit(bank, page, { code: "111111" })).body);
    expect(form.action).toBe(notificationURL);
    expect(decode(form.fields["cres"])).toMatchObject({ messageType: "CRes", transStatus: "Y" });
  });

  it.each<[string, string, object]>([
    ["passes", "111111", { transStatus: "Y", eci: "05", authenticationValue: expect.any(String) }],
    ["fails", "222222", { transStatus: "N", transStatusReason: "01" }],
    ["is canceled", "333333", { transStatus: "U", transStatusReason: "01", challengeCancel: "01" }],
  ])("%s, whatever the client says", async (_name, code, result) => {
    for (const said of ["Y", "N", "U"]) {
      const challenged = await afterMethod("challenge");
      await submit(bank, await openChallenge(bank, challenged), { code });
      const finished = await proceed(challengeDetails(challenged, said));
      expect(finished).toMatchObject({
        resultCode: "AuthenticationFinished",
        threeDS2ResponseData: { transStatus: "C" },
        threeDS2Result: { dsTransID: uuid, ...result },
      });
      expect(finished.threeDS2Result["challengeCancel"] ?? null).toBe(code === "333333" ? "01" : null);
      expect(await record()).toMatchObject({ messages: { CReq: 1, RReq: 1, RRes: 1 }, result: { delivered: true } });
    }
  });

  it.each<[ThreeDSecureScenario, object]>([
    ["challenge_attempted", { transStatus: "A", eci: "06" }],
    ["challenge_unavailable", { transStatus: "U", transStatusReason: "22" }],
    ["challenge_answer_lies", { transStatus: "N" }],
  ])("has the result that the ACS reports: %s", async (scenario, result) => {
    const challenged = await afterMethod(scenario);
    await submit(bank, await openChallenge(bank, challenged), { code: "111111" });
    expect((await proceed(challengeDetails(challenged, "Y"))).threeDS2Result).toMatchObject(result);
  });

  it("is refused if the ACS reported nothing", async () => {
    const challenged = await afterMethod("challenge_result_missing");
    await submit(bank, await openChallenge(bank, challenged), { code: "111111" });
    const body = await proceed(challengeDetails(challenged, "Y"));
    expect(body).toMatchObject({ resultCode: "Refused", refusalReasonCode: "39" });
  });

  it("is refused if the client continues before the end", async () => {
    const challenged = await afterMethod("challenge");
    await openChallenge(bank, challenged);
    expect(await proceed(challengeDetails(challenged, "Y"))).toMatchObject({ refusalReasonCode: "39" });
  });

  it("times out", async () => {
    const challenged = await afterMethod("challenge");
    clock.advance(30_000);
    const body = await proceed(challengeDetails(challenged, "U"));
    expect(body.threeDS2Result).toMatchObject({ transStatus: "U", challengeCancel: "05" });
  });

  it("is required from a frictionless card if it's mandated, and its proof is then accepted", async () => {
    const { threeDS2RequestData } = authenticationRequest("soft_decline");
    const mandated = { threeDS2RequestData: { ...threeDS2RequestData, threeDSRequestorChallengeInd: "04" } };
    const frictionless = await afterMethod("soft_decline");
    expect(await payWith("soft_decline", frictionless)).toMatchObject({ resultCode: "Refused" });
    const challenged = await afterMethod("soft_decline", mandated);
    await submit(bank, await openChallenge(bank, challenged), { code: "111111" });
    const finished = await proceed(challengeDetails(challenged));
    expect(await payWith("soft_decline", finished)).toMatchObject({ resultCode: "Authorised" });
  });

  it("can be continued with paymentData, as in earlier versions, and only once", async () => {
    const challenged = await afterMethod("challenge_passes");
    await openChallenge(bank, challenged);
    const transStatus = Buffer.from('{"transStatus":"Y"}').toString("base64");
    const { paymentData } = challenged.action;
    const body = await proceed({ details: { "threeds2.challengeResult": transStatus }, paymentData });
    expect(body.threeDS2Result).toMatchObject({ transStatus: "Y" });
    await expectRefusal("/payments/details", challengeDetails(challenged));
  });

  it.each([
    ["CLP", 490_000, "CLP 4,900"],
    ["IDR", 4_900, "4,900"],
  ])("shows an amount in %s with the right unit", async (currency, value, shown) => {
    const challenged = await afterMethod("challenge", { amount: { value, currency } });
    const page = await openChallenge(bank, challenged);
    expect(page.body.replaceAll("\u00a0", " ")).toContain(shown);
    expect(page.body).not.toContain("490,000");
  });
});

describe("a request", () => {
  it("gets the first response again for its key, and another request with that key is refused", async () => {
    const request = authenticationRequest("frictionless_without_method");
    const first = await postToAdyen(bank, "/payments", request, "key-1");
    expect((await postToAdyen(bank, "/payments", request, "key-1")).json()).toEqual(first.json());
    const payment = await postToAdyen(bank, "/payments", paymentRequest(testCards.visa), "key-1");
    expect(payment.json()).toMatchObject({ status: 422, errorCode: "704" });
    const begun = await begin("challenge");
    const details = methodDetails(begun);
    const second = await postToAdyen(bank, "/payments/details", details, "key-2");
    expect(second.json().resultCode).toBe("ChallengeShopper");
    expect((await postToAdyen(bank, "/payments/details", details, "key-2")).json()).toEqual(second.json());
  });

  it("never gets card data back", async () => {
    const bodies = [
      await begin("frictionless"),
      await afterMethod("challenge"),
      await begin("not_authenticated"),
      await begin("not_enrolled"),
    ];
    const { number } = authenticationRequest("frictionless").paymentMethod;
    for (const body of bodies) {
      const text = JSON.stringify("action" in body ? { ...body, token: tokenOf(body) } : body);
      expect(text).not.toContain(number.slice(0, 12));
      expect(text).not.toMatch(/\b2040\b/);
    }
  });

  it.each<[string, object]>([
    ["without a browser", { browserInfo: undefined }],
    ["without an origin", { origin: undefined }],
    ["with a path in the origin", { origin: "https://shop.example/pay" }],
    ["without a notification URL", { threeDS2RequestData: { merchantName: "Northwind Ledger" } }],
    ["with a misspelled field", { threeDS2RequestData: { notificationUrl: notificationURL } }],
    ["for the redirect flow", { authenticationData: { authenticationOnly: true } }],
    ["with a proof", { mpiData: { eci: "05" } }],
    ["with a capture", { captureDelayHours: 0 }],
    ["in an unknown currency", { amount: { value: 1, currency: "XXX" } }],
    [
      "to authenticate and pay at once",
      { authenticationData: { threeDSRequestData: { nativeThreeDS: "preferred" }, attemptAuthentication: "always" } },
    ],
  ])("is refused %s", async (_name, changes) => {
    await expectRefusal("/payments", { ...authenticationRequest("frictionless"), ...changes });
  });

  it.each<[string, object]>([
    ["without details", { paymentData: "data" }],
    ["with empty details", { details: {}, paymentData: "data" }],
    ["with two details", { details: { threeDSResult: "e30=", "threeds2.fingerprint": "e30=" } }],
    ["that would authorize", { details: { threeDSResult: "e30=" }, authenticationData: { authenticationOnly: false } }],
    ["with unknown details", { details: { redirectResult: "e30=" } }],
    ["with an empty fingerprint", { details: { "threeds2.fingerprint": "e30=" }, paymentData: "data" }],
    ["with an unknown token", { details: { threeDSResult: Buffer.from('{"transStatus":"Y"}').toString("base64") } }],
    ["with details that aren't JSON", { details: { threeDSResult: "AAAA" } }],
  ])("to continue is refused %s", async (_name, payload) => {
    await expectRefusal("/payments/details", payload);
  });

  it("isn't confused with one of another step", async () => {
    const begun = await begin("challenge");
    await expectRefusal("/payments/details", challengeDetails(begun));
    const challenged = await proceed(methodDetails(begun));
    await expectRefusal("/payments/details", methodDetails(challenged));
  });
});
