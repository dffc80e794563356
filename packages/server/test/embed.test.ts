/**
 * Tests the files that merchants' pages load and other public pages: the loader and its releases, its signature, the
 * page that explains a load error, and the help pages.
 */
import { createHash, createPublicKey, verify } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { loadErrors } from "@oriel/protocol/load-errors";
import { openForTests } from "../../../scripts/test/open-for-tests.ts";
import { builtLoader, builtVersion } from "./setup/built-pages.ts";
import { openCheckout } from "./setup/customer.ts";
import { expectError, invalid, noRoute } from "./setup/expect-error.ts";
import { startTestService } from "./setup/test-service.ts";

const service = await openForTests(startTestService({ pages: true }));

const get = (path: string) => fetch(`${service.config.checkoutOrigin}${path}`);

async function read(path: string): Promise<{ text: string; headers: Record<string, string> }> {
  const response = await get(path);
  expect({ path, status: response.status }).toEqual({ path, status: 200 });
  return { text: await response.text(), headers: Object.fromEntries(response.headers) };
}

const forAnyOrigin = {
  "access-control-allow-origin": "*",
  "cross-origin-resource-policy": "cross-origin",
  "x-content-type-options": "nosniff",
};

describe("the evergreen loader", () => {
  it("is the current build, loadable from any origin and revalidated after five minutes", async () => {
    const { text, headers } = await read("/embed/v1/oriel.js");
    expect(text).toBe(builtLoader);
    const type = "text/javascript; charset=utf-8";
    expect(headers).toMatchObject({ ...forAnyOrigin, "content-type": type, "cache-control": "public, max-age=300" });
    expect((await read("/embed/v1/oriel.js?again=1")).text).toBe(builtLoader);
  });

  it("is signed the way browsers verify it: the key in sri.json signs the digest of the served bytes", async () => {
    const { text, headers } = await read("/embed/v1/oriel.js");
    const key = await publicKey();
    expect(headers["unencoded-digest"]).toBe(`sha-256=:${createHash("sha256").update(text).digest("base64")}:`);
    const params = `("unencoded-digest";sf);keyid="${key}";tag="ed25519-integrity"`;
    expect(headers["signature-input"]).toBe(`signature=${params}`);
    const [, signature = ""] = /^signature=:([A-Za-z0-9+/]{86}==):$/.exec(headers["signature"] ?? "") ?? [];

    const base = `"unencoded-digest";sf: ${headers["unencoded-digest"]}\n"@signature-params": ${params}`;
    const jwk = { kty: "OKP", crv: "Ed25519", x: Buffer.from(key, "base64").toString("base64url") };
    const isGood = (text: string) =>
      verify(null, Buffer.from(text), createPublicKey({ key: jwk, format: "jwk" }), Buffer.from(signature, "base64"));
    expect(isGood(base)).toBe(true);
    expect(isGood(base.replace("sha-256=:", "sha-256=:A"))).toBe(false);
    expect(isGood(`${base}\n`)).toBe(false);
  });

  it("is signed with the key in the key file, and that key isn't logged", async () => {
    const path = join(service.config.keyDir, "embed.keys.json");
    const { signing } = JSON.parse(readFileSync(path, "utf8")) as { signing: string };
    const key = await publicKey();
    expect(createPublicKey(signing).export({ format: "jwk" }).x).toBe(Buffer.from(key, "base64").toString("base64url"));
    expect(service.log.join("")).not.toContain(signing.split("\n")[1]);
  });

  async function publicKey(): Promise<string> {
    const { evergreen } = JSON.parse((await read("/embed/sri.json")).text) as { evergreen: { integrity: string } };
    expect(evergreen.integrity).toMatch(/^ed25519-[A-Za-z0-9+/]{43}=$/);
    return evergreen.integrity.slice("ed25519-".length);
  }
});

describe("a loader requested by exact version", () => {
  it.each([
    ["1.6.10", "// the loader 1.6.10\n"],
    ["1.0.0", "// the loader 1.0.0\n"],
  ])("returns the released version %s as immutable", async (version, script) => {
    for (const query of ["", "?again=1"]) {
      const { text, headers } = await read(`/embed/v${version}/oriel.js${query}`);
      expect(text).toBe(script);
      expect(headers).toMatchObject({ ...forAnyOrigin, "cache-control": "public, max-age=31536000, immutable" });
    }
  });

  it("is revalidated after five minutes if it is unreleased, since the next build may change it", async () => {
    const { text, headers } = await read(`/embed/v${builtVersion}/oriel.js`);
    expect(text).toBe(builtLoader);
    expect(headers).toMatchObject({ ...forAnyOrigin, "cache-control": "public, max-age=300" });
  });

  it.each([
    "v1.2.3",
    "v2",
    "1.0.0",
    "v1.0",
    "v1.0.0.0",
    "V1.0.0",
    "vv1.0.0",
    "v",
    "v..",
    "v%2e%2e",
    "v1.0.0%2f..%2f1.0.0",
    "constructor",
    "v__proto__",
  ])("returns 404 for %s", async (version) => {
    expectError(await service.frame("GET", `/embed/${version}/oriel.js`), noRoute);
  });

  it("is served only by the checkout's host and only under its own name", async () => {
    for (const path of [
      "/embed/v1/oriel.js",
      "/embed/v1.0.0/oriel.js",
      "/embed/sri.json",
      "/embed/v1/why",
      "/embed/v1/help",
    ]) {
      expectError(await service.call("GET", path), noRoute);
      expectError(await service.frame("POST", path, {}), invalid("method_not_allowed"));
    }
    for (const path of ["/embed/v1.0.0/", "/embed/v1.0.0/why", "/embed/v1/oriel.js.map", "/embed/v1/", "/embed"]) {
      expectError(await service.frame("GET", path), noRoute);
    }
  });
});

describe("sri.json", () => {
  it("lists the integrity of every version, matching the bytes served at its URL", async () => {
    const { text, headers } = await read("/embed/sri.json");
    expect(headers).toMatchObject({ ...forAnyOrigin, "cache-control": "public, max-age=300" });
    const { versions, evergreen } = JSON.parse(text) as {
      versions: Record<string, { url: string; integrity: string; bytes: number }>;
      evergreen: object;
    };
    expect(Object.keys(versions)).toEqual(["1.0.0", "1.6.10", builtVersion]);
    for (const [version, entry] of Object.entries(versions)) {
      const script = (await read(`/embed/v${version}/oriel.js`)).text;
      const integrity = `sha384-${createHash("sha384").update(script).digest("base64")}`;
      expect(entry).toEqual({ url: `/embed/v${version}/oriel.js`, integrity, bytes: Buffer.byteLength(script) });
    }
    expect(evergreen).toEqual({ url: "/embed/v1/oriel.js", version: builtVersion, integrity: expect.any(String) });
  });
});

describe("the page that explains a load error", () => {
  it("may be embedded by any page, even with COEP, and runs only its own script, which calls only this origin", async () => {
    const { headers } = await read("/embed/v1/why");
    expect(headers).toMatchObject({
      "cross-origin-embedder-policy": "require-corp",
      "cross-origin-resource-policy": "cross-origin",
      "referrer-policy": "no-referrer",
      "x-content-type-options": "nosniff",
      "cache-control": "no-store",
    });
    const policy = headers["content-security-policy"] ?? "";
    expect(policy).not.toContain("frame-ancestors");
    for (const directive of [
      "default-src 'none'",
      "script-src 'sha256-x'",
      "connect-src 'self'",
      "frame-src 'none'",
      "form-action 'none'",
      "base-uri 'none'",
      "require-trusted-types-for 'script'",
    ]) {
      expect(policy.split("; ")).toContain(directive);
    }
    expect(headers["x-frame-options"]).toBeUndefined();
  });

  it("is identical for every session and without one, including the headers", async () => {
    const { sessionId } = await openCheckout(service, { allowed_origins: ["https://shop.example"] });
    const responses = await Promise.all(
      ["", `?session=${sessionId}`, "?session=cs_1&d=2", `?session=${"x".repeat(500)}`].map((query) =>
        read(`/embed/v1/why${query}`),
      ),
    );
    const seen = responses.map(({ text, headers: { date: _date, "request-id": _id, ...headers } }) =>
      JSON.stringify({ text, headers }),
    );
    expect(new Set(seen).size).toBe(1);
    expect(seen[0]).not.toContain("shop.example");
  });

  it("returns 404 for other paths and methods", async () => {
    expectError(await service.frame("GET", "/embed/v1/why?origin=x"), invalid("parameter_unknown", "origin"));
    expectError(
      await service.frame("GET", "/embed/v1/why?session=a&session=b"),
      invalid("parameter_invalid", "session"),
    );
  });
});

describe("the help pages", () => {
  it("cover every load error code at the anchor that docUrl names", async () => {
    const { text } = await read("/embed/v1/help");
    const places = [...text.matchAll(/<section id="([^"]+)">/g)].map(([, id]) => id);
    expect(places).toEqual(Object.keys(loadErrors));
  });

  it("run no scripts, embed no iframes and allow their only style by hash", async () => {
    const { text, headers } = await read("/embed/v1/help");
    const [, style = ""] = /<style>([^]*?)<\/style>/.exec(text) ?? [];
    const hash = createHash("sha256").update(style).digest("base64");
    expect(headers["content-security-policy"]).toBe(
      `default-src 'none'; style-src 'sha256-${hash}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
    );
    expect(text).not.toMatch(/<(?:script|iframe|img|link|form)|\s(?:style|src|on[a-z]+)="|href="[^#]/i);
    expect(style).toContain("color-scheme: light dark");
  });
});

describe("COEP", () => {
  it.each(["/c/cs_1", "/3ds/run/dec_1"])("is sent with %s only when the URL requests it", async (path) => {
    expect((await read(`${path}?coep=1`)).headers["cross-origin-embedder-policy"]).toBe("require-corp");
    const { headers } = await read(path);
    expect(headers["cross-origin-embedder-policy"]).toBeUndefined();
    expect(headers["cross-origin-resource-policy"]).toBe("cross-origin");
  });

  it.each([
    ["?fbclid=1&utm_source=mail", undefined],
    ["?coep=2", undefined],
    ["?coep", undefined],
    ["?coep=1&fbclid=1", "require-corp"],
    ["?utm_source=mail&coep=1", "require-corp"],
    ["?coep=1&coep=2", "require-corp"],
    ["?x=?coep=1", undefined],
    ["?%zz&=&&", undefined],
  ])("is detected at the end of the URL, despite anything that a mail program appended: %s", async (query, policy) => {
    for (const path of ["/c/cs_1", "/3ds/run/dec_1"]) {
      expect((await read(path + query)).headers["cross-origin-embedder-policy"]).toBe(policy);
    }
  });
});

describe("a page's Referrer-Policy", () => {
  it.each([
    ["/c/cs_1", "no-referrer"],
    ["/3ds/run/dec_1", "strict-origin"],
  ])("is set for %s to %s", async (path, policy) => {
    expect((await read(path)).headers["referrer-policy"]).toBe(policy);
  });
});
