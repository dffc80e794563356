/** A shop that authenticates cards at the Adyen simulator, and the browser that it sends to the ACS. */
import { randomUUID } from "node:crypto";
import type { FastifyInstance } from "fastify";
import { threeDSecureCards, type ThreeDSecureScenario } from "@oriel/protocol/test-cards";
import type { ARes } from "@oriel/protocol/threeds";
import type { AuthenticationRequest } from "../src/adyen/authentication-messages.ts";
import { merchantAccount } from "./adyen-client.ts";
import { base64url, creqFor, notificationURL, postForm, readForm } from "./bank-client.ts";

export const apiKey = "adyen-test-key";

type Response = Awaited<ReturnType<typeof postForm>>;

/** The fields of the response that tests read. */
export interface Body {
  resultCode: string;
  pspReference: string;
  action: { subtype: string; paymentData: string; authorisationToken: string; token: string };
  threeDS2Result: Record<string, string>;
  threeDS2ResponseData: Record<string, string>;
  refusalReasonCode: string;
}

export function authenticationRequest(
  scenario: ThreeDSecureScenario,
  changes: Partial<AuthenticationRequest> = {},
): AuthenticationRequest {
  return {
    merchantAccount,
    reference: "authentication-1",
    amount: { value: 4900, currency: "EUR" },
    returnUrl: "https://shop.example/return",
    paymentMethod: {
      type: "scheme",
      number: threeDSecureCards[scenario][0],
      expiryMonth: "12",
      expiryYear: "2040",
      cvc: "737",
    },
    authenticationData: {
      authenticationOnly: true,
      attemptAuthentication: "always",
      threeDSRequestData: { nativeThreeDS: "preferred" },
    },
    channel: "Web",
    origin: "http://pay.localhost:5998",
    browserInfo: {
      acceptHeader: "text/html",
      userAgent: "Test browser",
      language: "en-GB",
      colorDepth: 24,
      screenHeight: 900,
      screenWidth: 1440,
      timeZoneOffset: -60,
      javaEnabled: false,
    },
    threeDS2RequestData: { merchantName: "Northwind Ledger", notificationURL, threeDSRequestorChallengeInd: "01" },
    ...changes,
  };
}

export function postToAdyen(
  bank: FastifyInstance,
  path: string,
  payload: object,
  idempotencyKey: string = randomUUID(),
) {
  const headers = { "x-api-key": apiKey, "content-type": "application/json", "idempotency-key": idempotencyKey };
  return bank.inject({ method: "POST", url: `/adyen/v71${path}`, payload, headers });
}

/** The body of `/payments/details` after the 3DS Method. */
export function methodDetails({ action }: Body, threeDSCompInd = "Y") {
  return { details: { "threeds2.fingerprint": base64({ threeDSCompInd }) }, paymentData: action.paymentData };
}

/** The body of `/payments/details` after the challenge. */
export function challengeDetails({ action }: Body, transStatus = "Y") {
  const { authorisationToken } = action;
  return { details: { threeDSResult: base64({ transStatus, authorisationToken }) } };
}

/** What Adyen's action says to the browser. */
export function tokenOf({ action }: Body): Record<string, string> {
  return JSON.parse(Buffer.from(action.token, "base64").toString("utf8"));
}

/** Opens the 3DS Method in the browser and returns the page. */
export function runMethod(bank: FastifyInstance, reply: Body): Promise<Response> {
  const { threeDSMethodUrl = "", threeDSServerTransID } = tokenOf(reply);
  const data = { threeDSServerTransID, threeDSMethodNotificationURL: "http://pay.localhost:5998/3ds/method" };
  return postForm(bank, new URL(threeDSMethodUrl).pathname, { threeDSMethodData: base64url(data) });
}

/** Opens the challenge in the browser and returns its first page. */
export function openChallenge(bank: FastifyInstance, reply: Body): Promise<Response> {
  const token = tokenOf(reply);
  const creq = creqFor(token as unknown as ARes); // it has the fields of the CReq
  return postForm(bank, new URL(token["acsURL"] ?? "").pathname, { creq: base64url(creq) });
}

/** Submits the form on one of the ACS's pages. */
export function submit(bank: FastifyInstance, page: { body: string }, fields: Record<string, string>) {
  const form = readForm(page.body);
  const { pathname } = new URL(form.action, "http://bank.localhost");
  return postForm(bank, pathname, { ...form.fields, action: "submit", ...fields });
}

function base64(value: object): string {
  return Buffer.from(JSON.stringify(value)).toString("base64");
}
