import { describe, expect, it } from "vitest";
import { ApiError } from "../../platform/errors.ts";
import {
  asciiHost,
  checkAllowedOrigins,
  checkReturnAddress,
  checkWithinAccount,
  withAsciiHost,
} from "./allowed-urls.ts";

function refusalOf(check: () => void): Pick<ApiError, "code" | "details"> | null {
  try {
    check();
    return null;
  } catch (error) {
    if (!(error instanceof ApiError) || error.message.length > 500) throw error;
    return { code: error.code, details: error.details };
  }
}

const refusedOrigins = [
  "",
  " ",
  "*",
  "null",
  "'self'",
  "'none'",
  "https:",
  "https://",
  "https://*",
  "https://*.shop.example",
  "*.shop.example",

  "shop.example",
  "//shop.example",
  "https:shop.example",
  "https:/shop.example",
  "https:///shop.example",
  "https:\\\\shop.example",

  "https://shop.example/",
  "https://shop.example/cart",
  "https://shop.example?x",
  "https://shop.example#x",
  "https://shop.example:443",

  "HTTPS://shop.example",
  "https://SHOP.example",
  " https://shop.example",
  "https://shop.example ",
  "https://shop.example\t",
  "https://shop.example\n",

  "https://ann@shop.example",
  "https://ann:pw@shop.example",
  "https://shop.example@evil.example",
  "https://shop.example:443@evil.example",

  "https://shop.example\\@evil.example",
  "https://shop.example%2eevil.example",
  "https://shop.example%00",
  "https://shop.example\u0000",

  "https://a.example; script-src *",
  "https://a.example;script-src",
  "https://a.example\r\nX-Other: y",
  "https://a.example https://b.example",
  "https://a.example,https://b.example",
  "https://a.example'unsafe-inline'",
  'https://a.example"',

  "https://shop.example.",
  "https://münchen.example",
  "https://аpple.example",
  "https://shop。example",
  "https://ｓhop.example",
  "https://sho\u00adp.example",

  "https://127.1",
  "https://0x7f000001",
  "https://2130706433",
  "https://[0:0:0:0:0:0:0:1]",
  "https://[::1]",
  "https://[2606:4700::1111]",
  "https://shop.example:99999",
  "https://shop.example:0443",

  "http://shop.example",
  "http://localhost.shop.example",
  "http://notlocalhost",
  "http://127.0.0.2",
  "http://0.0.0.0",
  "http://[::1]:4242",
  "http://192.168.0.1",

  "javascript:alert(1)",
  "data:text/html,x",
  "file:///etc",
  "ftp://shop.example",
  "ws://shop.example",
  "blob:https://shop.example/1",
  "about:blank",
];

describe("checkAllowedOrigins", () => {
  it.each([
    "https://shop.example",
    "https://www.shop.example",
    "https://shop.example:8443",
    "https://xn--mnchen-3ya.example",
    "http://localhost",
    "http://localhost:4242",
    "http://shop.localhost:4242",
    "http://127.0.0.1:4242",
  ])("accepts %s", (origin) => {
    expect(refusalOf(() => checkAllowedOrigins([origin], false))).toBeNull();
  });

  it.each(refusedOrigins)("refuses %j", (origin) => {
    const refusal = refusalOf(() => checkAllowedOrigins(["https://good.example", origin], false));
    expect(refusal).toEqual({ code: "origin_not_allowed", details: { param: "allowed_origins[1]" } });
  });

  it.each(["http://localhost:4242", "http://shop.localhost", "http://127.0.0.1"])(
    "refuses %s in live mode",
    (origin) => {
      expect(refusalOf(() => checkAllowedOrigins([origin], true))).toMatchObject({ code: "origin_not_allowed" });
      expect(refusalOf(() => checkAllowedOrigins(["https://shop.example"], true))).toBeNull();
    },
  );
});

describe("checkWithinAccount", () => {
  it("accepts only origins on the account's list, or any origin if there is no list", () => {
    expect(refusalOf(() => checkWithinAccount(["https://a.example"], []))).toBeNull();
    expect(
      refusalOf(() => checkWithinAccount(["https://a.example"], ["https://b.example", "https://a.example"])),
    ).toBeNull();
    expect(refusalOf(() => checkWithinAccount([], ["https://a.example"]))).toBeNull();
    expect(
      refusalOf(() => checkWithinAccount(["https://a.example", "https://a.example:8443"], ["https://a.example"])),
    ).toEqual({
      code: "origin_not_allowed",
      details: { param: "allowed_origins[1]" },
    });
  });
});

const refusedReturns = [
  "",
  " ",
  "/",
  "/thanks",
  "thanks",
  "?x",
  "#x",
  "//evil.example",
  "///evil.example",
  "\\\\evil.example",
  "/\\evil.example",

  "https:",
  "https://",
  "https:evil.example",
  "https:/evil.example",
  "https:///evil.example",
  "https:\\\\evil.example",
  "https://\\evil.example",

  "javascript:alert(1)",
  "JaVaScRiPt:alert(1)",
  "java\nscript:alert(1)",
  "\u0001javascript:alert(1)",
  " javascript:alert(1)",
  "javascript://shop.example/%0aalert(1)",

  "data:text/html,<script>alert(1)</script>",
  "vbscript:x",
  "blob:https://shop.example/1",
  "file:///etc/passwd",
  "about:blank",
  "ws://shop.example/",
  "mailto:a@shop.example",

  "https://ann@shop.example/",
  "https://ann:pw@shop.example/",
  "https://@shop.example/",
  "https://:@shop.example/",
  "https://shop.example@evil.example/",
  "https://shop.example:443@evil.example/",

  "https://shop.example\\@evil.example/",
  "https://shop.example\\.evil.example/",
  "https://shop.example/#x",
  "https://shop.example/a b",
  "https://shop.example/\tx",

  "https://shop.example/\r\nSet-Cookie: a=b",
  "https://shop.example/\u0000",
  "https://shop.example/\u0001",
  "https://shop.example/a\u001fb",
  "https://shop.example/\u007f",
  "https://shop.example/\u2028x",

  "https://SHOP.example/",
  "https://shop.example./",
  "https://shop。example/",
  "https://shop.example\u00ad/",
  "https://ｓhop.example/",
  "https://аpple.example/",
  "https://*.shop.example/",
  "https://shop.example:99999/",

  "https://0x7f.1/",
  "https://2130706433/",
  "http://shop.example/thanks",
  "http://localhost.shop.example/",
  "http://[::2]/",
  "http://192.168.0.1/",
  "ftp://shop.example/",
];

describe("checkReturnAddress", () => {
  it.each([
    "https://shop.example",
    "https://shop.example/",
    "https://shop.example/thanks?order=7&x=%20",
    "https://shop.example:8443/danke/schön",
    "http://localhost:4242/thanks",
    "http://shop.localhost:4242/thanks",
    "http://127.0.0.1/",
    "http://[::1]:4242/thanks",
    "https://[2606:4700::1111]/",
  ])("accepts %s", (address) => {
    expect(refusalOf(() => checkReturnAddress(address, "return_url", false))).toBeNull();
  });

  it.each(refusedReturns)("refuses %j", (address) => {
    for (const param of ["return_url", "cancel_url"] as const) {
      expect(refusalOf(() => checkReturnAddress(address, param, false))).toEqual({
        code: "url_not_allowed",
        details: { param },
      });
    }
  });

  it("refuses localhost in live mode", () => {
    expect(refusalOf(() => checkReturnAddress("http://localhost/", "return_url", true))).toMatchObject({
      code: "url_not_allowed",
    });
    expect(refusalOf(() => checkReturnAddress("https://shop.example/", "return_url", true))).toBeNull();
  });

  it("is tested with more than 40 refused URLs and 40 refused origins", () => {
    expect(new Set(refusedReturns).size).toBeGreaterThan(40);
    expect(new Set(refusedOrigins).size).toBeGreaterThan(40);
  });
});

describe("withAsciiHost", () => {
  it.each([
    ["https://münchen.example", "https://xn--mnchen-3ya.example"],
    ["https://mu\u0308nchen.example/mu\u0308ll", "https://xn--mnchen-3ya.example/mu\u0308ll"],
    ["https://münchen.example:8443/danke/schön?x=ü", "https://xn--mnchen-3ya.example:8443/danke/schön?x=ü"],
    ["https://日本語.example/", "https://xn--wgv71a119e.example/"],
    ["https://faß.example/", "https://xn--fa-hia.example/"],
  ])("writes the host of %s as browsers send it", (text, ascii) => {
    expect(withAsciiHost(text)).toBe(ascii);
    expect(refusalOf(() => checkReturnAddress(withAsciiHost(text), "return_url", true))).toBeNull();
    expect(asciiHost(text.slice(8).split("/")[0] ?? "")).toBe(new URL(ascii).host);
  });

  it.each([
    ...[...refusedOrigins, ...refusedReturns].filter((text) => !/^https:\/\/(münchen|аpple)\.example\/?$/.test(text)),
    "https://MÜNCHEN.example/",
    "https://mün\u00adchen.example/",
    "https://münchen.example@evil.example/",
    "https://m%C3%BCnchen.example/",
    "https:münchen.example/",
    "//münchen.example/",
  ])("leaves %j unchanged, so it's refused", (text) => {
    expect(withAsciiHost(text)).toBe(text);
  });
});
