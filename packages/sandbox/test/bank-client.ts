/** A bank for tests, and functions that send it messages through Fastify's `inject` instead of a socket. */
import { randomUUID } from "node:crypto";
import type { FastifyInstance } from "fastify";
import type { AuthorizationRequest } from "@oriel/protocol/acquirer";
import type { AReq, ARes, CReq } from "@oriel/protocol/threeds";
import { createBank, type BankOptions } from "../src/bank.ts";

export const apiKey = "test-api-key";
export const resultsKey = "test-results-key";
export const origin = "http://bank.localhost:5999";
export const notificationURL = "http://pay.localhost:5998/3ds/challenge";

export function createTestBank(options: Partial<BankOptions> = {}): Promise<FastifyInstance> {
  return createBank({ origin, apiKey, resultsKey, ...options });
}

export function cardRequest(number: string, changes: Partial<AuthorizationRequest> = {}): AuthorizationRequest {
  const card = { number, exp_month: 12, exp_year: 2040, cvc: "737" };
  return { reference: randomUUID(), amount: 4900, currency: "eur", capture: true, card, ...changes };
}

export function post(bank: FastifyInstance, url: string, payload: string | object, key: string | null = apiKey) {
  return bank.inject({
    method: "POST",
    url,
    payload,
    headers: { "content-type": "application/json", ...(key === null ? {} : { authorization: `Bearer ${key}` }) },
  });
}

export function get(bank: FastifyInstance, url: string, key: string | null = apiKey) {
  return bank.inject({ method: "GET", url, headers: key === null ? {} : { authorization: `Bearer ${key}` } });
}

export function remove(bank: FastifyInstance, url: string, key: string | null = apiKey) {
  return bank.inject({ method: "DELETE", url, headers: key === null ? {} : { authorization: `Bearer ${key}` } });
}

export function postForm(bank: FastifyInstance, url: string, fields: Record<string, string>) {
  return bank.inject({
    method: "POST",
    url,
    payload: new URLSearchParams(fields).toString(),
    headers: { "content-type": "application/x-www-form-urlencoded", "user-agent": "Test browser" },
  });
}

/** In 2.2.0, unless `changes` sets another version. */
export function areqFor(acctNumber: string, changes: Partial<AReq> = {}): AReq {
  const { messageVersion = "2.2.0" } = changes;
  return {
    messageType: "AReq",
    messageVersion,
    deviceChannel: "02",
    messageCategory: "01",
    threeDSServerTransID: randomUUID(),
    threeDSServerURL: "http://127.0.0.1:1/results",
    threeDSCompInd: "Y",
    notificationURL,
    browserAcceptHeader: "text/html",
    browserIP: "127.0.0.1",
    browserUserAgent: "Test browser",
    browserJavaEnabled: false,
    browserJavascriptEnabled: true,
    browserLanguage: "en-GB",
    browserColorDepth: "24",
    browserScreenHeight: "900",
    browserScreenWidth: "1440",
    browserTZ: "-60",
    merchantName: "Northwind <Books> & Co",
    purchaseAmount: "4900",
    purchaseCurrency: "978",
    purchaseExponent: "2",
    purchaseDate: "20260115120000",
    threeDSRequestorChallengeInd: messageVersion === "2.2.0" ? "01" : ["01"],
    threeDSRequestorDecReqInd: "N",
    acctNumber,
    cardExpiryDate: "4012",
    ...changes,
  };
}

export function creqFor({ messageVersion, threeDSServerTransID, acsTransID }: ARes, changes: Partial<CReq> = {}): CReq {
  return {
    messageType: "CReq",
    messageVersion,
    threeDSServerTransID,
    acsTransID,
    challengeWindowSize: "01",
    ...changes,
  };
}

export function base64url(message: object): string {
  return Buffer.from(JSON.stringify(message)).toString("base64url");
}

/** The URL and hidden fields of the page's only form. */
export function readForm(page: string): { action: string; fields: Record<string, string> } {
  const unescape = (text: string) => text.replace(/&#(\d+);/g, (_, code: string) => String.fromCharCode(Number(code)));
  const action = /<form method="post" action="([^"]*)"/.exec(page)?.[1];
  if (action === undefined) throw new Error("The page has no form");
  const inputs = [...page.matchAll(/<input type="hidden" name="([^"]*)" value="([^"]*)">/g)];
  return {
    action: unescape(action),
    fields: Object.fromEntries(inputs.map(([, name = "", value = ""]) => [name, unescape(value)])),
  };
}

/** Decodes a base64url field. Throws if it has padding, which the specification forbids. */
export function decode(field: string | undefined): unknown {
  if (field === undefined || !/^[0-9A-Za-z_-]+$/.test(field)) throw new Error("Not base64url without padding");
  return JSON.parse(Buffer.from(field, "base64url").toString("utf8"));
}
