/**
 * Tests the dashboard's pages as the service sends them: one HTML document for every page URL on the dashboard's host,
 * with a policy that allows only its own files, and never on another host.
 */
import { brotliDecompressSync, gunzipSync } from "node:zlib";
import { CspEvaluator, DEFAULT_CHECKS } from "csp_evaluator/dist/evaluator.js";
import { CspParser } from "csp_evaluator/dist/parser.js";
import { describe, expect, it } from "vitest";
import { openForTests } from "../../../scripts/test/open-for-tests.ts";
import { builtDashboardScript } from "./setup/built-pages.ts";
import { startTestService, type Method } from "./setup/test-service.ts";

const service = await openForTests(startTestService({ pages: true }));

type Origin = "dashboardOrigin" | "checkoutOrigin" | "apiUrl";

interface RequestOptions {
  method?: Method;
  of?: Origin;
  /** Additional headers. */
  more?: Record<string, string>;
}

async function request(path: string, { method = "GET", of = "dashboardOrigin", more = {} }: RequestOptions = {}) {
  const { host } = new URL(service.config[of]);
  const { statusCode, headers, body, rawPayload } = await service.app.inject({
    method,
    url: path,
    headers: { host, ...more },
  });
  return { status: statusCode, headers, text: body, bytes: rawPayload };
}

/** Returns the nonce from the content security policy. */
const nonceOf = ({ headers }: { headers: Record<string, unknown> }) =>
  /'nonce-([^']+)'/.exec(String(headers["content-security-policy"]))?.[1] ?? "";
const pages = [
  "/",
  "/sign-in",
  "/verify-email",
  "/acct_1/test/payments",
  "/acct_1/live/payments/ch_1?x=1",
  "/console/applications",
];

describe("the page", () => {
  it.each(pages)("is served at %s", async (path) => {
    const response = await request(path);
    expect(response.status).toBe(200);
    expect(response.headers["content-type"]).toBe("text/html; charset=utf-8");
    expect(response.text).toContain("<title>Oriel</title>");
  });

  it("has the expected security and caching headers", async () => {
    const { headers } = await request("/sign-in");
    const nonce = nonceOf({ headers });
    const { checkoutOrigin } = service.config;
    expect(headers).toMatchObject({
      "content-security-policy": [
        "default-src 'none'",
        "script-src 'self'",
        `style-src 'self' 'nonce-${nonce}'`,
        "img-src 'self' data:",
        "connect-src 'self'",
        `frame-src ${checkoutOrigin}`,
        "form-action 'self'",
        "base-uri 'none'",
        "frame-ancestors 'none'",
      ].join("; "),
      "cache-control": "no-store",
      "referrer-policy": "no-referrer",
      "cross-origin-opener-policy": "same-origin",
      "cross-origin-resource-policy": "same-origin",
      "x-content-type-options": "nosniff",
      "permissions-policy": [
        ...["payment", "publickey-credentials-get", "publickey-credentials-create", "otp-credentials"].map(
          (feature) => `${feature}=(self "${checkoutOrigin}")`,
        ),
        "camera=(), microphone=(), geolocation=(), display-capture=(), usb=(), serial=(), hid=(), midi=(), fullscreen=()",
      ].join(", "),
    });
  });

  it("has a unique 128-bit nonce in the policy and in the page", async () => {
    const nonces = await Promise.all(
      Array.from({ length: 5 }, async () => {
        const response = await request("/");
        const nonce = nonceOf(response);
        expect(response.text).toContain(`nonce="${nonce}"`);
        return nonce;
      }),
    );
    expect(new Set(nonces).size).toBe(5);
    expect(nonces.map((nonce) => Buffer.from(nonce, "base64").length)).toEqual([16, 16, 16, 16, 16]);
  });

  it("has a policy in which Google's csp_evaluator only notes that 'self' is not a hash list", async () => {
    const { checkoutOrigin } = service.config;
    const csp = String((await request("/")).headers["content-security-policy"]);
    // The checkout has no TLS in tests.
    const policy = csp.replace(checkoutOrigin, checkoutOrigin.replace("http:", "https:"));
    const found = new CspEvaluator(new CspParser(policy).csp).evaluate([], DEFAULT_CHECKS);
    expect(found.filter(({ value }) => value !== "'self'")).toEqual([]);
  });

  it.each([
    "/auth/nothing",
    "/data/acct_1/test/nothing",
    "/operator/nothing",
    "/static/nothing.js",
    "/robots.txt",
    "/api/v1/charges",
  ])("isn't served at %s, which isn't the URL of a page", async (path) => {
    const response = await request(path);
    expect(response.status).toBe(404);
    expect(response.headers["content-type"]).toBe("application/json; charset=utf-8");
  });

  it.each(["POST", "PUT", "PATCH", "DELETE"] as const)("isn't served for %s", async (method) => {
    const response = await request("/sign-in", { method });
    expect(response.status).toBe(404);
  });

  it.each(["checkoutOrigin", "apiUrl"] as const)("isn't served by any other host at %s", async (of) => {
    const response = await request("/sign-in", { of });
    expect(response.status).toBe(404);
    expect(response.text).not.toContain("<title>Oriel</title>");
    expect((await request(builtDashboardScript, { of })).status).toBe(404);
  });
});

describe("the page's assets", () => {
  it.each([
    ["br, gzip", "br", brotliDecompressSync],
    ["gzip, deflate", "gzip", gunzipSync],
  ] as const)(
    "are sent as the precompressed build files to a browser that accepts %s",
    async (accepted, encoding, decompress) => {
      const response = await request(builtDashboardScript, { more: { "accept-encoding": accepted } });
      expect(response.headers).toMatchObject({ "content-encoding": encoding, vary: "Accept-Encoding" });
      expect(decompress(response.bytes).toString()).toBe("// the dashboard\n");
    },
  );

  it("never change at their URL and can't be loaded by other origins", async () => {
    const response = await request(builtDashboardScript);
    expect(response.text).toBe("// the dashboard\n");
    expect(response.headers).toMatchObject({
      "content-type": "text/javascript; charset=utf-8",
      "cache-control": "public, max-age=31536000, immutable",
      "cross-origin-resource-policy": "same-origin",
      "x-content-type-options": "nosniff",
    });
    expect(response.headers).not.toHaveProperty("access-control-allow-origin");
  });

  it.each(["/static/..%2findex.html", "/static/index.html", "/static/main.map", `${builtDashboardScript}.br`])(
    "return 404 for %s",
    async (path) => {
      expect((await request(path)).status).toBe(404);
    },
  );
});
