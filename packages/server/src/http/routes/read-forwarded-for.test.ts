import { describe, expect, it } from "vitest";
import { plainAddresses } from "./read-forwarded-for.ts";

describe("plainAddresses", () => {
  it.each([
    ["203.0.113.7", "203.0.113.7"],
    [" 203.0.113.7:51234 ", "203.0.113.7"],
    ["2001:db8::1", "2001:db8::1"],
    ["2001:db8::1:443", "2001:db8::1:443"], // without brackets, what looks like a port is part of the address
    ["[2001:db8::1]", "2001:db8::1"],
    ["[2001:db8::1]:443", "2001:db8::1"],
    ['"[2001:db8::1]:443"', "2001:db8::1"],
    ["::ffff:203.0.113.7", "::ffff:203.0.113.7"],
    ["[::ffff:203.0.113.7]:80", "::ffff:203.0.113.7"],
    ["203.0.113.7:1, [2001:db8::1]:2,10.0.0.1", "203.0.113.7, 2001:db8::1, 10.0.0.1"],
  ])("turns %j into %j", (entry, addresses) => {
    expect(plainAddresses(entry)).toBe(addresses);
  });

  it.each([
    "",
    "unknown",
    "_hidden",
    "localhost",
    "203.0.113.7:",
    "203.0.113.7:x",
    "203.0.113.7:123456",
    "203.0.113.07:80",
    "203.0.113:80",
    "203.0.113.7:80:80",
    "[203.0.113.7]:80",
    "[2001:db8::1",
    "[2001:db8::1]443",
    "[2001:db8::1]:",
    "[[2001:db8::1]]:443",
    "2001:db8::1]:443",
    "4242424242424242",
    "<script>",
    "for=203.0.113.7",
    `fe80::1%${"a".repeat(100)}`, // a zone can contain any text
  ])('turns %j into "unknown", because it is not an IP address', (entry) => {
    expect(plainAddresses(entry)).toBe("unknown");
    expect(plainAddresses(`203.0.113.7, ${entry}`)).toBe("203.0.113.7, unknown");
  });
});
