/**
 * Checks the complete headers of every kind of page: what may run there, who may embed it, and what it may request.
 *
 * Google's csp_evaluator judges the policies with its default checks and its checks for strict policies, at every
 * severity. One check is left out on purpose: it recommends `'unsafe-inline'` for browsers without hash support, which
 * are too old for the page anyway. These checks don't require a reporting endpoint.
 */
import { checkUnsafeInlineFallback } from "csp_evaluator/dist/checks/strictcsp_checks.js";
import { CspEvaluator, DEFAULT_CHECKS, STRICTCSP_CHECKS } from "csp_evaluator/dist/evaluator.js";
import { CspParser } from "csp_evaluator/dist/parser.js";
import { describe, expect, it } from "vitest";
import { openForTests } from "../../../scripts/test/open-for-tests.ts";
import { createApp } from "../src/app.ts";
import { threeDSPath } from "./setup/at-the-bank.ts";
import { openCheckout } from "./setup/customer.ts";
import { bankKeys, startTestService } from "./setup/test-service.ts";

const shop = "https://shop.example";
const service = await openForTests(startTestService({ pages: true }));
const { sessionId } = await openCheckout(service, { allowed_origins: [shop] });

/** The URL of each page for a session's ID. */
const pages = {
  checkout: { method: "GET", path: (id: string) => `/c/${id}` },
  "checkout without a session": { method: "GET", path: () => "/c/cs_none" },
  runner: { method: "GET", path: () => "/3ds/run/dec_none" },
  "3DS Method return": { method: "POST", path: () => threeDSPath(service, "method") },
  "challenge return": { method: "POST", path: () => threeDSPath(service, "challenge") },
  why: { method: "GET", path: () => "/embed/v1/why" },
} as const;
type Page = keyof typeof pages;
const all = Object.keys(pages) as Page[]; // the keys of the table above

async function headersOf(page: Page, query = ""): Promise<Record<string, string>> {
  const { method, path } = pages[page];
  const response = await fetch(service.config.checkoutOrigin + path(sessionId) + query, {
    method,
    ...(method === "POST" ? { body: new URLSearchParams({}) } : {}),
  });
  expect({ page, status: response.status }).toEqual({ page, status: 200 });
  return Object.fromEntries(response.headers);
}

/** Leaves out headers that come from the server, the connection or a single response. */
async function stableHeadersOf(page: Page, query?: string): Promise<Record<string, string>> {
  const changing = [
    "date",
    "request-id",
    "content-length",
    "content-encoding",
    "connection",
    "keep-alive",
    "transfer-encoding",
  ];
  return Object.fromEntries(Object.entries(await headersOf(page, query)).filter(([name]) => !changing.includes(name)));
}

const policyOf = (frames: string, ancestors: string | null) =>
  [
    "default-src 'none'",
    "script-src 'sha256-x'",
    "style-src 'none'",
    "img-src 'self' data:",
    "connect-src 'self'",
    "base-uri 'none'",
    frames,
    ...(ancestors === null ? [] : [`frame-ancestors ${ancestors}`]),
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
  ].join("; ");
const onlyOurs = "frame-src 'self'; form-action 'none'";
const banks = "frame-src https: http:; form-action https: http:";

const everywhere = {
  "content-type": "text/html; charset=utf-8",
  "cross-origin-resource-policy": "cross-origin",
  "cross-origin-opener-policy": "same-origin",
  "permissions-policy":
    "camera=(), microphone=(), geolocation=(), display-capture=(), usb=(), serial=(), hid=(), midi=(), fullscreen=()",
  "x-content-type-options": "nosniff",
  "cache-control": "no-store",
  vary: "Accept-Encoding",
};
const ofTheForm = {
  ...everywhere,
  "referrer-policy": "no-referrer",
  "content-language": "en",
  vary: "Accept-Language, Accept-Encoding",
};
const expected: Record<Page, Record<string, string>> = {
  checkout: { ...ofTheForm, "content-security-policy": policyOf(onlyOurs, shop) },
  "checkout without a session": { ...ofTheForm, "content-security-policy": policyOf(onlyOurs, "'none'") },
  runner: { ...everywhere, "referrer-policy": "strict-origin", "content-security-policy": policyOf(banks, "'self'") },
  "3DS Method return": {
    ...everywhere,
    "referrer-policy": "strict-origin",
    "content-security-policy": policyOf(banks, "'self'"),
  },
  "challenge return": {
    ...everywhere,
    "referrer-policy": "strict-origin",
    "content-security-policy": policyOf(banks, "'self'"),
  },
  why: {
    ...everywhere,
    "referrer-policy": "no-referrer",
    "cross-origin-embedder-policy": "require-corp",
    "content-security-policy": policyOf("frame-src 'none'; form-action 'none'", null),
  },
};

describe("the headers", () => {
  it.each(all)("are complete on the %s page", async (page) => {
    expect(await stableHeadersOf(page)).toEqual(expected[page]);
  });

  it.each(["checkout", "runner"] as const)("include COEP on the %s page when the URL requests it", async (page) => {
    const coep = { "cross-origin-embedder-policy": "require-corp" };
    expect(await stableHeadersOf(page, "?coep=1")).toEqual({ ...expected[page], ...coep });
  });

  it("name exactly the origins that the session lists", async () => {
    const origins = ["https://a.example", "https://b.example:8443", "http://localhost:3000"];
    const { sessionId: id } = await openCheckout(service, { allowed_origins: origins });
    const response = await fetch(`${service.config.checkoutOrigin}/c/${id}`);
    expect(response.headers.get("content-security-policy")).toBe(policyOf(onlyOurs, origins.join(" ")));
  });
});

const checks = [...DEFAULT_CHECKS, ...STRICTCSP_CHECKS].filter((check) => check !== checkUnsafeInlineFallback);

function findings(policy: string): string[] {
  const evaluator = new CspEvaluator(new CspParser(policy).csp);
  return evaluator.evaluate([], checks).map(({ directive, description }) => `${directive}: ${description}`);
}

describe("Google's csp_evaluator", () => {
  it.each(all)("finds nothing in the policy of the %s page", async (page) => {
    expect(findings((await headersOf(page))["content-security-policy"] ?? "")).toEqual([]);
  });

  it.each([
    ["inline scripts", (policy: string) => policy.replace("'sha256-x'", "'unsafe-inline'")],
    ["a whole origin", (policy: string) => policy.replace("'sha256-x'", "'self'")],
    ["any plugin", (policy: string) => policy.replace("default-src 'none'; ", "")],
    ["no Trusted Types", (policy: string) => policy.replace("require-trusted-types-for 'script'; ", "")],
  ])("detects %s (control)", async (_what, tamper) => {
    expect(findings(tamper(expected.checkout["content-security-policy"] ?? ""))).not.toEqual([]);
  });
});

describe("Strict-Transport-Security", () => {
  it("is sent only by the checkout's host over https, error responses included", async () => {
    const config = { ...service.config, checkoutOrigin: "https://pay.example.com" };
    const app = await createApp(
      { ...service.context, config },
      { resultsKeys: { test: bankKeys.resultsKey, live: null }, files: null },
    );
    const from = async (host: string, url: string) =>
      (await app.inject({ url, headers: { host } })).headers["strict-transport-security"];
    expect(await from("pay.example.com", "/healthz")).toBe("max-age=31536000; includeSubDomains");
    expect(await from("pay.example.com", "/nowhere")).toBe("max-age=31536000; includeSubDomains");
    expect(await from("api.example.com", "/healthz")).toBeUndefined();
    await app.close();
  });

  it("isn't sent over http", async () => {
    expect(await headersOf("checkout")).not.toHaveProperty("strict-transport-security");
  });
});
