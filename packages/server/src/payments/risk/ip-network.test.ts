import { describe, expect, it } from "vitest";
import { ipNetwork } from "./ip-network.ts";

describe("ipNetwork", () => {
  it.each([
    ["203.0.113.7", "203.0.113.7"],
    ["2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"],
    ["2001:0DB8:0001:0002::1", "2001:db8:1:2::/64"],
    ["2001:db8::42", "2001:db8:0:0::/64"],
    ["2001:db8:1:2::192.0.2.1", "2001:db8:1:2::/64"],
    ["1:2:3:4:5:6:7::", "1:2:3:4::/64"],
    ["::1", "0:0:0:0::/64"],
    ["::", "0:0:0:0::/64"],
    ["fe80::1%eth0", "fe80:0:0:0::/64"],
  ])("maps %s to %s", (ip, network) => {
    expect(ipNetwork(ip)).toBe(network);
  });

  it.each(["::ffff:203.0.113.7", "::ffff:cb00:7107", "::FFFF:CB00:7107", "0:0:0:0:0:ffff:203.0.113.7"])(
    "maps the IPv4-mapped IPv6 address %s to its IPv4 address",
    (ip) => {
      expect(ipNetwork(ip)).toBe("203.0.113.7");
    },
  );

  it("returns the same network for all addresses in a /64 and another one for the next /64", () => {
    const inside = ["2001:db8:1:2::1", "2001:db8:1:2:ffff:ffff:ffff:ffff", "2001:db8:1:2:0:0:0:0"].map(ipNetwork);
    expect(new Set(inside).size).toBe(1);
    expect(ipNetwork("2001:db8:1:3::1")).not.toBe(inside[0]);
  });

  it.each(["", "unknown", "203.0.113", "203.0.113.07", "1:2:3:4:5:6:7:8:9", "203.0.113.7, 10.0.0.1"])(
    "returns null for %j",
    (text) => {
      expect(ipNetwork(text)).toBeNull();
    },
  );
});
