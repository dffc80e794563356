import { describe, expect, it } from "vitest";
import { isBankAddress } from "./bank-address.ts";

describe("an address that a bank gave", () => {
  it("is a page's by https, in test mode by http too", () => {
    for (const livemode of [true, false]) {
      expect(isBankAddress("https://bank.example/acs?x=1", { livemode })).toBe(true);
      expect(isBankAddress("http://bank.localhost:4100/acs", { livemode })).toBe(!livemode);
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
  ])("is none: %j", (address) => {
    expect(isBankAddress(address, { livemode: false })).toBe(false);
  });
});
