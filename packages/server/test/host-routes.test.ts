/**
 * Checks which routes each host serves, that the OpenAPI description lists exactly the API's routes, and which of them
 * need a key.
 */
import { describe, expect, it } from "vitest";
import { openForTests } from "../../../scripts/test/open-for-tests.ts";
import { expectError, invalid, noRoute, type Refusal } from "./setup/expect-error.ts";
import { startTestService, type Method } from "./setup/test-service.ts";

const service = await openForTests(startTestService());

describe("unknown routes", () => {
  it.each<[Method, string, Refusal]>([
    ["GET", "/", noRoute],
    ["GET", "/api/v1", noRoute],
    ["GET", "/api/v1/", noRoute],
    ["GET", "/api/v1/invoices", noRoute],
    ["POST", "/api/v2/charges", noRoute],
    ["GET", "/api/v1/charges/", invalid("parameter_invalid", "id")],
    ["GET", "/api/v1/charges/%00", noRoute],
    ["GET", "/api/v1/charges?decision_id=a%00b", noRoute],
    ["GET", "/api/v1/charges/../../etc/passwd", noRoute],
    ["GET", "/frame/payments/dec_1", noRoute],
    ["GET", "/c/cs_1", noRoute],
    ["GET", "/api/v1/charges/%ff", noRoute],
    ["GET", `/api/v1/charges/${"x".repeat(101)}`, noRoute],
    ["PUT", "/api/v1/charges", invalid("method_not_allowed")],
    ["DELETE", "/api/v1/checkout_sessions/cs_1", invalid("method_not_allowed")],
    ["PATCH", "/api/v1/decisions", invalid("method_not_allowed")],
    ["GET", "/api/v1/charges/ch_1/capture", invalid("method_not_allowed")],
    ["DELETE", "/api/v1/payment_methods/pm_1", invalid("method_not_allowed")],
    ["GET", "/api/v1/payment_methods", noRoute],
    ["POST", "/api/v1/charges/ch_1/refund", noRoute],
    ["POST", "/api/v1/refunds/re_1/cancel", noRoute],
    ["GET", "/api/v1/decisions", invalid("method_not_allowed")],
    ["POST", "/api/v1/events", invalid("method_not_allowed")],
  ])("%s %s returns a not-found error", async (method, path, refusal) => {
    expectError(await service.call(method, path), refusal);
  });

  it.each(["/api/v1/charges", "/api/v1/checkout_sessions", "/api/v1/openapi.json", "/docs"])(
    "%s of the API doesn't exist on the checkout host",
    async (path) => {
      expectError(await service.frame("GET", path), noRoute);
    },
  );

  it("iframe routes don't exist on the API host", async () => {
    const opened = await service.call("POST", "/frame/sessions/cs_1/open", { client_secret: "x" });
    expectError(opened, noRoute);
  });
});

describe("the API description", () => {
  it("is OpenAPI 3.1 and lists exactly the existing routes", async () => {
    const { body } = await service.call("GET", "/api/v1/openapi.json");
    expect(body).toMatchObject({
      openapi: "3.1.0",
      info: { title: "Oriel" },
      servers: [{ url: service.config.apiUrl }],
    });
    const described = Object.entries(body["paths"] ?? {}).flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
    );
    expect(described.sort()).toEqual(
      routesOf(service.app.printRoutes({ commonPrefix: false }))
        .filter((route) => route.includes(" /api/v1/") && !route.endsWith("/openapi.json"))
        .sort(),
    );
    expect(described.length).toBeGreaterThan(20);
  });

  it("marks every route as requiring a secret key, and every route requires one", async () => {
    const { body } = await service.call("GET", "/api/v1/openapi.json");
    const operations = Object.entries(body["paths"] ?? {}).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
    );
    expect(operations.length).toBeGreaterThan(20);
    for (const { path, method, operation } of operations) {
      expect(operation["security"]).toEqual([{ secretKey: [] }]);
      const url = `${service.config.apiUrl}${path.replace(/\{\w+\}/g, "x")}`;
      expect((await fetch(url, { method: method.toUpperCase() })).status).toBe(401);
    }
  });

  it("is readable without a key, as a document and as a page without external resources", async () => {
    const document = await fetch(`${service.config.apiUrl}/api/v1/openapi.json`);
    expect(document.status).toBe(200);
    const page = await fetch(`${service.config.apiUrl}/docs`);
    expect(page.status).toBe(200);
    expect(page.headers.get("content-type")).toContain("text/html");
    expect(page.headers.get("content-security-policy")).toContain("default-src 'self'");
    const html = await page.text();
    expect(html).toContain("/api/v1/openapi.json");
    expect(html).not.toMatch(/(src|href)="(https?:)?\/\//);
  });

  it("serves the health and readiness routes to everyone", async () => {
    for (const path of ["/healthz", "/readyz"])
      expect((await service.call("GET", path)).body).toEqual({ status: "ok" });
  });

  /** Returns `METHOD /path` for each line of Fastify's route tree, treating HEAD as part of its GET. */
  function routesOf(tree: string): string[] {
    const above: string[] = [];
    return tree.split("\n").flatMap((line) => {
      const [, indent = "", part, methods = ""] = /^([│ ]*)[├└]── (\S+)(?: \(([^)]+)\))?$/.exec(line) ?? [];
      if (part === undefined) return [];
      above.splice(indent.length / 4, Infinity, part);
      const path = above.join("").replace(/:(\w+)/g, "{$1}");
      return methods.split(", ").flatMap((method) => (method === "HEAD" ? [] : [`${method} ${path}`]));
    });
  }
});
