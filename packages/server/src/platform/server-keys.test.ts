import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { newServerKeys, openServerKeys } from "./server-keys.ts";

let directory: string;
let path: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "oriel-keys-"));
  path = join(directory, "server.keys.json");
});
afterEach(() => rmSync(directory, { recursive: true }));

describe("the service's key file", () => {
  it("is made once, for its owner's eyes only, and opens what was sealed before", () => {
    const sealed = openServerKeys(path).seal("secret", "record 1");
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(openServerKeys(path).unseal(sealed, "record 1")).toBe("secret");
    expect(readdirSync(directory)).toEqual(["server.keys.json"]);
  });

  it.each(["", "{", "null", "{}", '{"seal":"AAAA","token":"AAAA"}', '{"seal":7,"token":7}'])(
    "that holds %j is refused by name and never overwritten",
    (content) => {
      writeFileSync(path, content);
      expect(() => openServerKeys(path)).toThrow(`The key file ${path} is damaged`);
      expect(readFileSync(path, "utf8")).toBe(content);
    },
  );
});

describe("a sealed value", () => {
  it("opens only whole, with its key and for what it was sealed for", () => {
    const keys = newServerKeys();
    const sealed = keys.seal("secret ü", "record 1");
    expect(sealed.includes("secret")).toBe(false);
    expect(() => keys.unseal(sealed, "record 2")).toThrow(Error);
    expect(() => newServerKeys().unseal(sealed, "record 1")).toThrow(Error);
    for (let i = 0; i < sealed.length; i++) {
      const changed = Buffer.from(sealed);
      changed[i] = (changed[i] ?? 0) ^ 1;
      expect(() => keys.unseal(changed, "record 1")).toThrow(Error);
      expect(() => keys.unseal(sealed.subarray(0, i), "record 1")).toThrow(Error);
    }
    expect(keys.unseal(sealed, "record 1")).toBe("secret ü");
  });
});

describe("a signature", () => {
  it("is its text's and its key's only", () => {
    const keys = newServerKeys();
    const signature = keys.sign("claim");
    expect(keys.isSignatureOf(signature, "claim")).toBe(true);
    expect(keys.isSignatureOf(signature, "claim ")).toBe(false);
    expect(newServerKeys().isSignatureOf(signature, "claim")).toBe(false);
    for (const other of [
      "",
      signature.slice(0, -1),
      `${signature}A`,
      `${signature}=`,
      signature.toLowerCase(),
      "é".repeat(43),
    ]) {
      expect(keys.isSignatureOf(other, "claim")).toBe(false);
    }
  });
});
