/**
 * Adyen's native 3-D Secure without a payment: the connector with the Adyen simulator and the sandbox's ACS. Every
 * message is checked against the description that Adyen publishes.
 */
import { describe, expect, it } from "vitest";
import { threeDSecureCards, type ThreeDSecureScenario } from "@oriel/protocol/test-cards";
import type { CReq, CRes, MethodData } from "@oriel/protocol/threeds";
import { openForTests } from "../../../../scripts/test/open-for-tests.ts";
import { InvalidReplyError, NoReplyError } from "../../src/connectors/errors.ts";
import type { AuthenticationStep, VendorAuthentication, VendorState } from "../../src/connectors/three-ds-server.ts";
import { startAdyenThreeDS, type Fault } from "./adyen-three-ds-under-test.ts";

const notificationUrl = "http://pay.localhost:5998/3ds/challenge";
const methodNotificationUrl = "http://pay.localhost:5998/3ds/method";

const adyen = await openForTests(startAdyenThreeDS());

function requestFor(scenario: ThreeDSecureScenario, changes: Partial<VendorAuthentication> = {}): VendorAuthentication {
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

/** One authentication. */
function authentication(request: VendorAuthentication) {
  const { reference, amount, currency } = request;
  const same = { reference, amount, currency };
  return {
    begin: () => adyen.server.begin(request),
    afterMethod: (state: VendorState, threeDSCompInd: "Y" | "N" | "U" = "Y") =>
      adyen.server.afterMethod({ ...same, state, threeDSCompInd }),
    afterChallenge: (state: VendorState, transStatus: "Y" | "N" | "U") =>
      adyen.server.afterChallenge({ ...same, state, transStatus }),
  };
}

function reached<Step extends AuthenticationStep["step"]>(reply: AuthenticationStep, step: Step) {
  if (reply.step !== step) throw new Error(`Expected the step ${step}, but it's ${reply.step}`);
  return reply as Extract<AuthenticationStep, { step: Step }>; // just checked
}

/** Posts a form as the customer's browser does, and returns the page. The bank's public origin isn't reachable here. */
async function browse(url: string, fields: Record<string, string>): Promise<string> {
  const response = await fetch(adyen.bankUrl + new URL(url).pathname, {
    method: "POST",
    body: new URLSearchParams(fields),
  });
  expect(response.status).toBe(200);
  return await response.text();
}

const encode = (message: object) => Buffer.from(JSON.stringify(message)).toString("base64url");

/** Begins, and runs the 3DS Method with a form of our own. */
async function runMethod(authenticating: ReturnType<typeof authentication>): Promise<AuthenticationStep> {
  const { methodUrl, threeDSServerTransID, state } = reached(await authenticating.begin(), "method");
  if (methodUrl === null) throw new Error("Expected a method URL");
  const data: MethodData = { threeDSServerTransID, threeDSMethodNotificationURL: methodNotificationUrl };
  const page = await browse(methodUrl, { threeDSMethodData: encode(data) });
  expect(page).toContain(methodNotificationUrl);
  return await authenticating.afterMethod(state);
}

/** Opens the challenge, enters a code, and returns the CRes that arrives at our page. */
async function completeChallenge(reply: AuthenticationStep, code: string): Promise<CRes> {
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

async function challengeWith(code: string, request = requestFor("challenge")): Promise<AuthenticationStep> {
  const authenticating = authentication(request);
  const challenged = await runMethod(authenticating);
  const { transStatus } = await completeChallenge(challenged, code);
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
    expect(await completeChallenge(challenged, "111111")).toMatchObject({ transStatus: "Y" });
    const { state } = reached(challenged, "challenge");
    expect(await authenticating.afterChallenge(state, "Y")).toMatchObject({ step: "result", transStatus: "N" });
  });

  it("is declined if the browser returns without completing the challenge", async () => {
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
    const { acquirer } = adyen;
    const { card, amount, currency, usage } = request;
    const payment = { card, amount, currency, usage, capture: false, isRepeated: false };
    expect(await acquirer.authorize({ ...payment, reference: "att_1" })).toMatchObject({ status: "declined" });
    if (proof === null) throw new Error("Expected a proof");
    expect(await acquirer.authorize({ ...payment, reference: "att_2", proof })).toMatchObject({ status: "approved" });
  });
});

describe("a lost request or response", () => {
  const faults: Fault[] = ["lost request", "lost response"];

  it.each(faults)("(%s) is repeated once with the same key, and gets the first response", async (fault) => {
    const authenticating = authentication(requestFor("challenge"));
    adyen.takeSent();
    adyen.faults.push(fault);
    const first = reached(await authenticating.begin(), "method");
    adyen.faults.push(fault);
    const second = reached(await authenticating.afterMethod(first.state), "challenge");
    await completeChallenge(second, "111111");
    adyen.faults.push(fault);
    expect(await authenticating.afterChallenge(second.state, "Y")).toMatchObject({ step: "result", transStatus: "Y" });
    const sent = adyen.takeSent();
    expect(sent).toHaveLength(6);
    for (const index of [0, 2, 4]) expect(sent[index + 1]).toEqual(sent[index]);
    expect(new Set(sent.map(({ key }) => key)).size).toBe(3);
  });

  it.each(faults)("(%s) twice counts as no reply, and the same request can be sent again", async (fault) => {
    const authenticating = authentication(requestFor("challenge"));
    adyen.faults.push(fault, fault);
    await expect(authenticating.begin()).rejects.toThrow(NoReplyError);
    const begun = await authenticating.begin();
    expect(await authenticating.begin()).toEqual(begun);
    expect(await authenticating.afterMethod(reached(begun, "method").state)).toMatchObject({ step: "challenge" });
  });

  it("returns the same result each time it's requested", async () => {
    const authenticating = authentication(requestFor("challenge"));
    const challenged = reached(await runMethod(authenticating), "challenge");
    await completeChallenge(challenged, "111111");
    const result = await authenticating.afterChallenge(challenged.state, "Y");
    expect(result).toMatchObject({ step: "result", transStatus: "Y" });
    expect(await authenticating.afterChallenge(challenged.state, "Y")).toEqual(result);
  });
});

describe("a response", () => {
  it.each<[string, (response: string) => string]>([
    [
      "about another payment",
      (response) => response.replace(/"merchantReference":"[^"]*"/, '"merchantReference":"att_1"'),
    ],
    [
      "about another authentication",
      (response) => response.replaceAll(/"threeDSServerTransID":"[^"]{8}/g, '"threeDSServerTransID":"00000000'),
    ],
    ["that authorizes a payment", (response) => response.replace("AuthenticationFinished", "Authorised")],
    ["without a proof", (response) => response.replaceAll("authenticationValue", "other")],
    ["that isn't JSON", () => "<html>"],
  ])("%s is refused", async (_name, replacedBy) => {
    const authenticating = authentication(requestFor("challenge"));
    const challenged = reached(await runMethod(authenticating), "challenge");
    await completeChallenge(challenged, "111111");
    adyen.faults.push({ replacedBy });
    await expect(authenticating.afterChallenge(challenged.state, "Y")).rejects.toThrow(InvalidReplyError);
    expect(await authenticating.afterChallenge(challenged.state, "Y")).toMatchObject({ transStatus: "Y" });
  });

  it("is refused if it's an error, of which only the code is stored", async () => {
    const request = requestFor("challenge");
    const refused = authentication({ ...request, origin: "4242424242424242".repeat(10) }).begin();
    await expect(refused).rejects.toThrow(InvalidReplyError);
    await expect(refused).rejects.toThrow(/^(?!.*4242).*HTTP 4/s);
    expect(adyen.mistakes.splice(0)).toEqual([expect.stringContaining("origin")]);
  });

  it("can't be requested with the state of another step", async () => {
    const authenticating = authentication(requestFor("challenge"));
    const { state } = reached(await authenticating.begin(), "method");
    await expect(authenticating.afterChallenge(state, "Y")).rejects.toThrow("Bug");
  });
});

describe("what is stored between two requests", () => {
  it("contains no card data", async () => {
    const request = requestFor("challenge");
    const authenticating = authentication(request);
    const { state } = reached(await authenticating.begin(), "method");
    const challenged = reached(await authenticating.afterMethod(state), "challenge");
    const stored = JSON.stringify([state, challenged.state]);
    expect(Object.keys(state).toSorted()).toEqual([
      "authorisationToken",
      "paymentData",
      "step",
      "threeDSServerTransID",
    ]);
    expect(stored).not.toContain(request.card.number);
    expect(stored).not.toMatch(/\b2040\b|Lovelace/);
  });
});

describe("an amount that Adyen can't express", () => {
  it("is declined, and nothing is sent", async () => {
    adyen.takeSent();
    const step = await authentication(requestFor("challenge", { currency: "idr", amount: 4901 })).begin();
    expect(step).toEqual({ step: "declined", declineCode: "currency_not_supported" });
    expect(adyen.takeSent()).toEqual([]);
  });
});

describe("every message", () => {
  it("was checked against the description that Adyen publishes", () => {
    const counts = Object.fromEntries(adyen.checked);
    for (const path of ["/payments", "/payments/details"])
      for (const message of ["request", "200"]) expect(counts[`POST ${path} ${message}`]).toBeGreaterThan(1);
    expect(adyen.mistakes).toEqual([]);
  });
});
