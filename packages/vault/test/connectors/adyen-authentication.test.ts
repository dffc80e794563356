/**
 * Adyen's native 3-D Secure without a payment: the connector's requests and readers with the Adyen simulator and the
 * sandbox's ACS. Every message is checked against the description that Adyen publishes.
 */
import { createBank } from "@oriel/sandbox";
import { threeDSecureCards, type ThreeDSecureScenario } from "@oriel/protocol/test-cards";
import type { CReq, CRes, MethodData } from "@oriel/protocol/threeds";
import type { FastifyInstance } from "fastify";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createAdyenAcquirer } from "../../src/connectors/adyen/acquirer.ts";
import { toAdyenAmount } from "../../src/connectors/adyen/amounts.ts";
import { readAuthentication, type AuthenticationReply } from "../../src/connectors/adyen/authentication-replies.ts";
import {
  authenticationBody,
  challengeDetailsBody,
  methodDetailsBody,
  type AuthenticationRequest,
  type AuthenticationState,
} from "../../src/connectors/adyen/authentication-requests.ts";
import { openPublishedDocument } from "./published-document.ts";

const apiKey = "the-key-that-adyen-gave-us";
const merchant = { merchantAccount: "KilnAndClay", returnUrl: "https://shop.example/return" };
const notificationUrl = "http://pay.localhost:5998/3ds/challenge";
const methodNotificationUrl = "http://pay.localhost:5998/3ds/method";
const published = openPublishedDocument();

let bank: FastifyInstance;
let bankUrl: string;
beforeAll(async () => {
  bank = await createBank({
    origin: "http://bank.localhost:5996",
    apiKey: "the-key-of-the-sandbox-itself",
    resultsKey: "the-key-we-gave-the-bank",
    adyen: { apiKey, merchantAccount: merchant.merchantAccount },
  });
  bankUrl = await bank.listen({ port: 0, host: "127.0.0.1" });
});
afterAll(() => bank.close());

function requestFor(
  scenario: ThreeDSecureScenario,
  changes: Partial<AuthenticationRequest> = {},
): AuthenticationRequest {
  return {
    reference: `aut_${crypto.randomUUID()}`,
    amount: 4900,
    currency: "eur",
    card: { number: threeDSecureCards[scenario][0], expMonth: 12, expYear: 2040, cvc: "737" },
    cardholderName: "Ada Lovelace",
    usage: { kind: "once" },
    customer: {
      id: "cus_1",
      email: "ada@example.com",
      ip: "192.0.2.1",
      billingAddress: { line1: "Hauptstraße 12", city: "Berlin", postalCode: "10115", country: "DE" },
    },
    browser: {
      acceptHeader: "text/html",
      userAgent: "Mozilla/5.0",
      browserJavaEnabled: false,
      browserJavascriptEnabled: true,
      browserLanguage: "de-DE",
      browserColorDepth: "24",
      browserScreenHeight: "900",
      browserScreenWidth: "1440",
      browserTZ: "-60",
    },
    merchantName: "Kiln & Clay",
    notificationUrl,
    origin: "http://pay.localhost:5998",
    challengeIndicator: "01",
    ...changes,
  };
}

/** One authentication, with the requests and readers of the connector. */
function authentication(request: AuthenticationRequest) {
  const amount = toAdyenAmount(request);
  if (amount === null) throw new Error("Bug: the currency isn't supported");
  const { reference } = request;
  const send = async (path: string, body: object, state: AuthenticationState | null) => {
    published.checkRequest("POST", path, body);
    const headers = { "content-type": "application/json", "x-api-key": apiKey };
    const url = `${bankUrl}/adyen/v71${path}`;
    const response = await fetch(url, { method: "POST", headers, body: JSON.stringify(body) });
    const answer: unknown = await response.json();
    published.checkResponse("POST", describedAt(path, answer), response.status, answer);
    return readAuthentication("an authentication request", answer, { reference, amount, mode: "test", state });
  };
  return {
    begin: () => send("/payments", authenticationBody(request, amount, merchant), null),
    afterMethod: (state: AuthenticationState, indicator: "Y" | "N" | "U" = "Y") =>
      send("/payments/details", methodDetailsBody(state, indicator), state),
    afterChallenge: (state: AuthenticationState, transStatus: "Y" | "N" | "U") =>
      send("/payments/details", challengeDetailsBody(state, transStatus), state),
  };
}

/** v71 leaves out the action of a details response, which v72 has. It's the same as in the response to `/payments`. */
function describedAt(path: string, answer: unknown): string {
  return typeof answer === "object" && answer !== null && "action" in answer ? "/payments" : path;
}

function reached<Step extends AuthenticationReply["step"]>(reply: AuthenticationReply, step: Step) {
  if (reply.step !== step) throw new Error(`Expected the step ${step}, but it's ${reply.step}`);
  return reply as Extract<AuthenticationReply, { step: Step }>; // just checked
}

/** Posts a form as the customer's browser does, and returns the page. The bank's public origin isn't reachable here. */
async function browse(url: string, fields: Record<string, string>): Promise<string> {
  const response = await fetch(bankUrl + new URL(url).pathname, { method: "POST", body: new URLSearchParams(fields) });
  expect(response.status).toBe(200);
  return await response.text();
}

const encode = (message: object) => Buffer.from(JSON.stringify(message)).toString("base64url");

/** Begins, and runs the 3DS Method with a form of our own. */
async function runMethod(authenticating: ReturnType<typeof authentication>): Promise<AuthenticationReply> {
  const { methodUrl, threeDSServerTransID, state } = reached(await authenticating.begin(), "method");
  if (methodUrl === null) throw new Error("Expected a method URL");
  const data: MethodData = { threeDSServerTransID, threeDSMethodNotificationURL: methodNotificationUrl };
  const page = await browse(methodUrl, { threeDSMethodData: encode(data) });
  expect(page).toContain(methodNotificationUrl);
  return await authenticating.afterMethod(state);
}

/** Opens the challenge, enters a code, and returns the CRes that arrives at our page. */
async function answerChallenge(reply: AuthenticationReply, code: string): Promise<CRes> {
  const { acsUrl, acsTransID, threeDSServerTransID, messageVersion } = reached(reply, "challenge");
  const creq: CReq = {
    messageType: "CReq",
    messageVersion,
    threeDSServerTransID,
    acsTransID,
    challengeWindowSize: "02",
  };
  expect(await browse(acsUrl, { creq: encode(creq) })).toContain("Kiln");
  const page = await browse(`${acsUrl}/answer`, { acsTransID, action: "submit", tries: "0", code });
  expect(page).toContain(notificationUrl);
  const cres = /name="cres" value="([\w-]+)"/.exec(page)?.[1] ?? "";
  return JSON.parse(Buffer.from(cres, "base64url").toString("utf8"));
}

async function challengeWith(code: string, request = requestFor("challenge")): Promise<AuthenticationReply> {
  const authenticating = authentication(request);
  const challenged = await runMethod(authenticating);
  const { transStatus } = await answerChallenge(challenged, code);
  return await authenticating.afterChallenge(reached(challenged, "challenge").state, transStatus);
}

const proven = { version: "2.2.0", dsTransId: expect.any(String), authenticationValue: expect.any(String) };

describe("an authentication at Adyen", () => {
  it("isn't required for a card that isn't enrolled", async () => {
    expect(await authentication(requestFor("not_enrolled")).begin()).toMatchObject({ step: "not_required" });
  });

  it.each<[ThreeDSecureScenario, object]>([
    ["frictionless_without_method", { transStatus: "Y", proof: { ...proven, eci: "05", authenticationStatus: "Y" } }],
    ["attempted", { transStatus: "A", proof: { ...proven, eci: "06", authenticationStatus: "A" } }],
    ["not_authenticated", { transStatus: "N", transStatusReason: "01", cardholderInfo: expect.any(String) }],
    ["rejected", { transStatus: "R", transStatusReason: "11" }],
    ["unavailable", { transStatus: "U", transStatusReason: "22" }],
  ])("is decided at once: %s", async (scenario, result) => {
    expect(await authentication(requestFor(scenario)).begin()).toMatchObject({ step: "result", ...result });
  });

  it("is declined if the issuer can't be reached", async () => {
    const reply = await authentication(requestFor("lookup_error")).begin();
    expect(reply).toMatchObject({ step: "declined", declineCode: "authentication_failed" });
  });

  it("is frictionless after the 3DS Method", async () => {
    expect(await runMethod(authentication(requestFor("frictionless")))).toMatchObject({
      step: "result",
      transStatus: "Y",
      proof: { ...proven, eci: "05", authenticationStatus: "Y" },
    });
  });

  it.each(["N", "U"] as const)("continues if the 3DS Method didn't complete: %s", async (indicator) => {
    const authenticating = authentication(requestFor("method_timeout"));
    const { state } = reached(await authenticating.begin(), "method");
    expect(await authenticating.afterMethod(state, indicator)).toMatchObject({ step: "result", transStatus: "Y" });
  });

  it("passes a challenge after the 3DS Method", async () => {
    expect(await challengeWith("111111")).toMatchObject({
      step: "result",
      transStatus: "Y",
      proof: { ...proven, eci: "05", authenticationStatus: "C", challengeStatus: "Y" },
    });
  });

  it("fails a challenge", async () => {
    const reply = reached(await challengeWith("222222"), "result");
    expect(reply).toMatchObject({ transStatus: "N", proof: { authenticationStatus: "C", challengeStatus: "N" } });
    expect(reply.proof).not.toHaveProperty("authenticationValue");
  });

  it("is canceled by the customer", async () => {
    expect(await challengeWith("333333")).toMatchObject({ step: "result", transStatus: "U", challengeCancel: "01" });
  });

  it("has the issuer's result, whatever the browser says", async () => {
    const authenticating = authentication(requestFor("challenge_answer_lies"));
    const challenged = await runMethod(authenticating);
    expect(await answerChallenge(challenged, "111111")).toMatchObject({ transStatus: "Y" });
    const { state } = reached(challenged, "challenge");
    expect(await authenticating.afterChallenge(state, "Y")).toMatchObject({ step: "result", transStatus: "N" });
  });

  it("is declined if the browser returns without an answer to the challenge", async () => {
    const authenticating = authentication(requestFor("challenge"));
    const { state } = reached(await runMethod(authenticating), "challenge");
    expect(await authenticating.afterChallenge(state, "Y")).toMatchObject({
      step: "declined",
      declineCode: "authentication_failed",
    });
  });

  it("verifies a card without an amount", async () => {
    const request = requestFor("challenge", { amount: 0, usage: { kind: "store" } });
    expect(await challengeWith("111111", request)).toMatchObject({ step: "result", transStatus: "Y" });
  });

  it("provides the proof for a payment whose issuer requires a challenge", async () => {
    const request = requestFor("soft_decline", { challengeIndicator: "04" });
    const { proof } = reached(await challengeWith("111111", request), "result");
    const acquirer = createAdyenAcquirer({ mode: "test", url: `${bankUrl}/adyen/v71`, apiKey, ...merchant });
    const { card, amount, currency, usage } = request;
    const payment = { card, amount, currency, usage, capture: false, isRepeated: false };
    expect(await acquirer.authorize({ ...payment, reference: "att_1" })).toMatchObject({ status: "declined" });
    if (proof === null) throw new Error("Expected a proof");
    expect(await acquirer.authorize({ ...payment, reference: "att_2", proof })).toMatchObject({ status: "approved" });
  });
});

describe("every message", () => {
  it("was checked against the description that Adyen publishes", () => {
    const counts = Object.fromEntries(published.checked);
    for (const path of ["/payments", "/payments/details"])
      for (const message of ["request", "200"]) expect(counts[`POST ${path} ${message}`]).toBeGreaterThan(1);
  });
});
