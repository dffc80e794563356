/**
 * Tests requests that a page on another site can make a browser send to the dashboard. None of them may have an effect.
 */
import { describe, expect, it } from "vitest";
import { openForTests } from "../../../scripts/test/open-for-tests.ts";
import { refusalOf } from "./setup/dashboard-errors.ts";
import { me, newVisitor } from "./setup/dashboard-visitor.ts";
import { startTestService } from "./setup/test-service.ts";

const service = await openForTests(startTestService());

describe("another site", () => {
  it.each([
    ["a form", { origin: "https://evil.example", "sec-fetch-site": "cross-site" }],
    ["a page on a sibling host", { origin: "http://pay.localhost:4000", "sec-fetch-site": "same-site" }],
    ["a sandboxed iframe", { origin: "null" }],
    ["a request without a page", { origin: "" }],
    ["a page that forges our origin, as the browser reports", { "sec-fetch-site": "cross-site" }],
  ])("can't change anything: %s", async (_what, headers) => {
    const visitor = await newVisitor(service);
    expect(refusalOf(await visitor.call("POST", "/auth/sessions/revoke-others", {}, headers))).toBe("403 cross_site");
    expect(refusalOf(await visitor.call("POST", "/auth/sign-out", {}, headers))).toBe("403 cross_site");
    expect((await me(visitor)).status).toBe(200);
  });

  it("can't change anything with a request that a form can send", async () => {
    const visitor = await newVisitor(service);
    for (const type of ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x"]) {
      const response = await visitor.call("POST", "/auth/sessions/revoke-others", new TextEncoder().encode("{}"), {
        "content-type": type,
      });
      expect(refusalOf(response)).toBe("400 content_type_unsupported");
    }
  });

  it("can't change anything by loading a URL", async () => {
    const visitor = await newVisitor(service);
    for (const path of ["/auth/sign-out", "/auth/sessions/revoke-others", "/auth/totp/begin"])
      expect([400, 404]).toContain((await visitor.call("GET", path)).status);
    expect((await me(visitor)).status).toBe(200);
  });
});

describe("the dashboard's host", () => {
  it("serves no API routes, and no other host serves the dashboard's", async () => {
    const visitor = await newVisitor(service);
    expect(refusalOf(await visitor.call("GET", "/api/v1/charges"))).toBe("404 route_unknown");
    const cookie = [...visitor.cookies].map(([name, value]) => `${name}=${value}`).join("; ");
    const elsewhere = await service.call("GET", "/auth/me", undefined, { cookie });
    expect(refusalOf(elsewhere)).toBe("404 route_unknown");
    expect(refusalOf(await service.frame("GET", "/auth/me"))).toBe("404 route_unknown");
  });
});
