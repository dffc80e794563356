/** Tests `/.well-known/security.txt`, which operators turn on with `ORIEL_SECURITY_CONTACT`. */
import { describe, expect, it } from "vitest";
import { openForTests } from "../../../scripts/test/open-for-tests.ts";
import { createApp } from "../src/app.ts";
import { expectError, noRoute } from "./setup/expect-error.ts";
import { bankKeys, startTestService } from "./setup/test-service.ts";

const path = "/.well-known/security.txt";

const service = await openForTests(startTestService());

/** Requests the file from the app with a contact, at 15:30 on this day. */
async function fetchFrom(origin: string, day: string) {
  const config = { ...service.config, securityContact: "mailto:security@example.com" };
  const context = { ...service.context, config, now: () => new Date(`${day}T15:30:00Z`) };
  const app = await createApp(context, { resultsKeys: { test: bankKeys.resultsKey, live: null }, files: null });
  const response = await app.inject({ url: path, headers: { host: new URL(origin).host } });
  await app.close();
  return response;
}

describe("security.txt", () => {
  it("doesn't exist without a contact", async () => {
    expectError(await service.call("GET", path), noRoute);
    expectError(await service.frame("GET", path), noRoute);
  });

  it.each(["checkoutOrigin", "dashboardOrigin", "apiUrl"] as const)("is on the host of %s", async (origin) => {
    const response = await fetchFrom(service.config[origin], "2026-11-26");
    expect(response.statusCode).toBe(200);
    expect(response.headers["content-type"]).toBe("text/plain; charset=utf-8");
    expect(response.body).toBe("Contact: mailto:security@example.com\nExpires: 2027-11-26T00:00:00Z\n");
  });

  it("expires in less than a year, also across a leap day", async () => {
    expect((await fetchFrom(service.config.apiUrl, "2027-12-01")).body).toContain("Expires: 2028-11-30T00:00:00Z");
  });
});
