import { describe, expect, it } from "vitest";
import { isBankUrl } from "./bank-url.ts";

describe("isBankUrl", () => {
  it("accepts https, and http in test mode only", () => {
    for (const livemode of [true, false]) {
      expect(isBankUrl("https://bank.example/acs?x=1", { livemode })).toBe(true);
      expect(isBankUrl("http://bank.localhost:4100/acs", { livemode })).toBe(!livemode);
    }
  });

  it.each([
    "",
    "bank.example",
    "/acs",
    "javascript:alert(1)",
    "data:text/html,x",
    "blob:https://bank.example/x",
    "ftp://bank.example",
  ])("refuses %j", (url) => {
    expect(isBankUrl(url, { livemode: false })).toBe(false);
  });
});
