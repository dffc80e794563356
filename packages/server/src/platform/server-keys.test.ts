import { readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { temporaryDirectory } from "../../../../scripts/test/temporary-directory.ts";
import { newServerKeys, openServerKeys } from "./server-keys.ts";

let directory: string;
let path: string;
beforeEach(() => {
  directory = temporaryDirectory(onTestFinished);
  path = join(directory, "server.keys.json");
});

describe("openServerKeys", () => {
  it("creates the file once, readable by its owner only, and unseals earlier values", () => {
    const sealed = openServerKeys(path).seal("secret", "record 1");
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(openServerKeys(path).unseal(sealed, "record 1")).toBe("secret");
    expect(readdirSync(directory)).toEqual(["server.keys.json"]);
  });

  it.each(["", "{", "null", "{}", '{"seal":"AAAA","token":"AAAA"}', '{"seal":7,"token":7}'])(
    "rejects a file that contains %j, names it, and never overwrites it",
    (content) => {
      writeFileSync(path, content);
      expect(() => openServerKeys(path)).toThrow(`The key file ${path} is damaged`);
      expect(readFileSync(path, "utf8")).toBe(content);
    },
  );
});

describe("unseal", () => {
  it("accepts only the unchanged bytes, with the same key and the same purpose", () => {
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

describe("isSignatureOf", () => {
  it("accepts a signature only for its own text and key", () => {
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
