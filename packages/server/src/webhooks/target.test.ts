import { describe, expect, it } from "vitest";
import {
  forbiddenAddresses,
  forbiddenHosts,
  loopbackHosts,
  unreadableHosts,
} from "../../test/setup/forbidden-targets.ts";
import { isAllowedAddress, readTarget, vetTarget, type TargetRules } from "./target.ts";

const outside: TargetRules = { loopback: false, http: false, ownAddresses: [] };
const development: TargetRules = { loopback: true, http: true, ownAddresses: [] };

describe("isAllowedAddress", () => {
  it.each([
    "8.8.8.8",
    "1.1.1.1",
    "93.184.215.14",
    "9.255.255.255",
    "11.0.0.0",
    "100.63.255.255",
    "100.128.0.0",
    "126.255.255.255",

    "128.0.0.0",
    "172.15.255.255",
    "172.32.0.0",
    "192.167.255.255",
    "192.169.0.0",
    "169.253.255.255",
    "198.17.255.255",
    "223.255.255.254",
    "2606:4700:4700::1111",
    "2001:4860:4860::8888",
    "2a00:1450:4001:81b::200e",
    "2400:cb00:2048:1::c629:d7a2",
  ])("allows the public address %s", (address) => {
    expect(isAllowedAddress(address, outside)).toBe(true);
  });

  const inside: Record<string, string[]> = {
    "this machine": ["127.0.0.1", "127.1.2.3", "127.255.255.255", "::1"],
    "an unspecified host": ["0.0.0.0", "0.1.2.3", "::"],
    "a private network": [
      "10.0.0.1",
      "10.255.255.255",
      "172.16.0.1",
      "172.31.255.255",
      "192.168.0.1",
      "192.168.255.255",
      "fc00::1",
      "fd12::1",
    ],
    "the local link": ["169.254.0.1", "169.254.169.254", "fe80::1", "fe80::1%eth0", "febf::1"],
    "a carrier's network": ["100.64.0.1", "100.127.255.255"],
    "a multicast group": ["224.0.0.1", "239.255.255.255", "255.255.255.255", "ff02::1", "ff0e::1"],
    "a reserved range": ["192.0.2.1", "198.51.100.1", "203.0.113.1", "240.0.0.1", "2001:db8::1", "100::1", "3fff::1"],
    "a protocol or benchmark range": [
      "192.0.0.1",
      "192.88.99.1",
      "198.18.0.1",
      "198.19.255.255",
      "2001:2::1",
      "2001:10::1",
      "2001:20::1",
    ],
    "embedded IPv4": [
      "::ffff:127.0.0.1",
      "::ffff:8.8.8.8",
      "::ffff:a9fe:a9fe",
      "::127.0.0.1",
      "::8.8.8.8",
      "::ffff:0:127.0.0.1",

      "64:ff9b::7f00:1",
      "64:ff9b::808:808",
      "64:ff9b:1::a00:1",
      "2002:7f00:1::",
      "2002:808:808::1",
      "2001::1",
      "2001:0:4136:e378:8000:63bf:3fff:fdd2",
    ],
    "an unallocated range": ["fec0::1", "4000::1", "5f00::1", "1::1", "e000::1"],
  };
  it.each(Object.entries(inside).flatMap(([why, addresses]) => addresses.map((address) => [address, why])))(
    "refuses %s, which belongs to %s",
    (address) => {
      expect(isAllowedAddress(address, outside)).toBe(false);
    },
  );

  it.each(forbiddenAddresses)("refuses %j, even in development", (address) => {
    expect(isAllowedAddress(address, development)).toBe(false);
  });

  it.each([
    "",
    "localhost",
    "shop.example",
    "1.2.3.4.5",
    "256.1.1.1",
    "[::1]",
    "::1::",
    " 8.8.8.8",
    "8.8.8.8\n",
    "8.8.8.8/8",
  ])("refuses %j, which isn't an IP address", (text) => {
    expect(isAllowedAddress(text, development)).toBe(false);
  });

  it.each(["127.0.0.1", "127.9.9.9", "::1"])(
    "allows %s if loopback is allowed, and no other special address",
    (address) => {
      expect(isAllowedAddress(address, development)).toBe(true);
      for (const other of ["10.0.0.1", "169.254.169.254", "0.0.0.0", "::ffff:127.0.0.1", "fe80::1"]) {
        expect(isAllowedAddress(other, development)).toBe(false);
      }
    },
  );
});

describe("readTarget", () => {
  it.each([
    "https://shop.example/hooks",
    "https://shop.example:8443/a?b=c",
    "https://8.8.8.8/",
    "https://[2606:4700:4700::1111]/",
  ])("accepts %s", (text) => {
    expect(readTarget(text, outside)).toEqual({ ok: true, url: new URL(text) });
  });

  it.each([
    "",
    "shop.example",
    "/hooks",
    "//shop.example/",
    "https://",
    "https:///",
    "https://shop.example:99999/",
    "https://a b/",

    "http://shop.example/",
    "ftp://shop.example/",
    "file:///etc/passwd",
    "gopher://shop.example/",
    "javascript:alert(1)",
    "data:,x",
    "https://ann@shop.example/",
    "https://ann:pw@shop.example/",
    "https://:pw@shop.example/",
    "https://shop.example/#x",

    "https://127.0.0.1/",
    "https://127.1/",
    "https://0x7f.1/",
    "https://0177.0.0.1/",
    "https://2130706433/",
    "https://127.0.0.1./",
    "https://①②⑦.⓪.⓪.①/",

    "https://0/",
    "https://0.0.0.0/",
    "https://10.1.2.3/",
    "https://169.254.169.254/latest/meta-data/",
    "https://[::1]/",
    "https://[::]/",

    "https://[::ffff:127.0.0.1]/",
    "https://[::ffff:7f00:1]/",
    "https://[::127.0.0.1]/",
    "https://[64:ff9b::7f00:1]/",
    "https://[fd00::1]/",
    "https://[fe80::1]/",
  ])("refuses %s with a reason", (text) => {
    expect(readTarget(text, outside)).toEqual({ ok: false, reason: expect.stringMatching(/^.{15,}\.$/) });
  });

  it.each([...loopbackHosts, ...forbiddenHosts, ...unreadableHosts])("refuses the host %j with a reason", (host) => {
    expect(readTarget(`https://${host}/hooks`, outside)).toEqual({
      ok: false,
      reason: expect.stringMatching(/^.{15,}\.$/),
    });
  });

  it.each([0, 1, 22, 25, 79, 81, 442, 444, 1023])("refuses port %i and names it", (port) => {
    const reason = `A webhook URL must use port 80, port 443 or a port above 1023, not ${port}.`;
    expect(readTarget(`https://shop.example:${port}/`, outside)).toEqual({ ok: false, reason });
  });

  it.each([
    ["https://Shop.EXAMPLE./a?b", "https://shop.example/a?b"],
    ["https://bücher.example:443/", "https://xn--bcher-kva.example/"],
    ["http://shop.example.:80", "http://shop.example/"],
    ["  https://shop.example/\n", "https://shop.example/"],
    ["https://ex%61mple.example/", "https://example.example/"],
    ["https://hooks_1.shop.example/", "https://hooks_1.shop.example/"],
    ["https://local.example/", "https://local.example/"],
    ["https://mylocal.example/", "https://mylocal.example/"],
    ["https://internal.shop.example/", "https://internal.shop.example/"],
    ["https://134744072/", "https://8.8.8.8/"],
  ])("reads %j as %s", (text, href) => {
    expect(readTarget(text, { ...outside, http: true })).toMatchObject({ ok: true, url: { href } });
  });

  it("refuses this machine's own addresses in any spelling", () => {
    const rules = { ...outside, ownAddresses: ["8.8.8.8", "2606:4700:4700::1111", "127.0.0.1"] };
    for (const host of ["8.8.8.8", "134744072", "[2606:4700:4700:0:0:0:0:1111]"]) {
      expect(readTarget(`https://${host}/`, rules)).toMatchObject({ ok: false });
      expect(readTarget(`https://${host}/`, outside)).toMatchObject({ ok: true });
    }
    expect(readTarget("https://8.8.4.4/", rules)).toMatchObject({ ok: true });
    expect(readTarget("https://127.0.0.1/", { ...rules, loopback: true })).toMatchObject({ ok: true });
  });

  it("accepts http and this machine in development, but no private network", () => {
    expect(readTarget("http://127.0.0.1:4242/hooks", development)).toMatchObject({ ok: true });
    for (const host of loopbackHosts)
      expect(readTarget(`http://${host}:4242/hooks`, development)).toMatchObject({ ok: true });
    expect(readTarget("http://192.168.0.1/hooks", development)).toMatchObject({ ok: false });
    expect(readTarget("ftp://127.0.0.1/hooks", development)).toMatchObject({ ok: false });
  });
});

describe("vetTarget", () => {
  const vet = (url: string, addresses: string[], rules = outside, signal = new AbortController().signal) =>
    vetTarget(new URL(url), rules, () => Promise.resolve(addresses), signal);

  it("returns the IP address in the URL, or those of the name, if they are allowed", async () => {
    expect(await vet("https://8.8.8.8/", [])).toEqual({ ok: true, addresses: ["8.8.8.8"] });
    const sixth = "2606:4700:4700::1111";
    expect(await vet(`https://[${sixth}]/`, [])).toEqual({ ok: true, addresses: [sixth] });
    expect(await vet("https://shop.example/", [sixth, "8.8.8.8"])).toEqual({ ok: true, addresses: ["8.8.8.8", sixth] });
    expect(await vet("https://shop.example/", ["10.0.0.1"])).toEqual({ ok: false, failure: "address_not_allowed" });
    expect(await vet("https://shop.example/", ["10.0.0.1"], development)).toEqual({
      ok: false,
      failure: "address_not_allowed",
    });
    expect(await vet("https://10.0.0.1/", ["8.8.8.8"], development)).toEqual({
      ok: false,
      failure: "address_not_allowed",
    });
  });

  it.each(["http://localhost/", "http://shop.localhost/"])(
    "resolves %s to this machine, whatever DNS says",
    async (url) => {
      expect(await vet(url, ["8.8.8.8"])).toEqual({ ok: false, failure: "address_not_allowed" });
      expect(await vet(url, ["8.8.8.8"], development)).toEqual({ ok: true, addresses: ["127.0.0.1", "::1"] });
    },
  );

  it("reports a name that doesn't resolve, or doesn't resolve in time", async () => {
    expect(await vet("https://shop.example/", [])).toEqual({ ok: false, failure: "name_not_resolved" });
    expect(await vet("https://shop.example/", ["8.8.8.8"], outside, AbortSignal.abort())).toEqual({
      ok: false,
      failure: "timeout",
    });
    const unknown = vetTarget(
      new URL("https://shop.example/"),
      outside,
      () => Promise.reject(new Error("ENOTFOUND")),
      new AbortController().signal,
    );
    expect(await unknown).toEqual({ ok: false, failure: "name_not_resolved" });
    const slow = new AbortController();
    const never = vetTarget(new URL("https://shop.example/"), outside, () => new Promise(() => {}), slow.signal);
    slow.abort();
    expect(await never).toEqual({ ok: false, failure: "timeout" });
  });
});
