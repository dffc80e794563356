import { generateKeyPairSync } from "node:crypto";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import {
  builtLoader,
  builtVersion,
  writeBuiltPages,
  writeLoader,
  writeRelease,
  type Built,
} from "../../../test/setup/built-pages.ts";
import { readEmbedScripts } from "./embed-scripts.ts";
import { signScript } from "./script-signature.ts";

let built: Built;
beforeEach(() => {
  built = writeBuiltPages();
});
afterEach(() => built.remove());

const { privateKey } = generateKeyPairSync("ed25519");
const read = () => readEmbedScripts(built.dist, built.releases, () => privateKey);
const signatureFile = () => join(built.dist, "embed", "signature.json");

describe("readEmbedScripts", () => {
  it("returns the loader from the build and every release", () => {
    expect([...read().versions.keys()]).toEqual(["1.0.0", "1.6.10", builtVersion]);
  });

  it("throws when the build is incomplete or missing", () => {
    writeFileSync(join(built.dist, "embed", "oriel.js"), "// another\n");
    expect(read).toThrow(/sri\.json doesn't match the loader next to it\. Run `npm run build` again/);
    rmSync(join(built.dist, "embed", "sri.json"));
    expect(read).toThrow(/sri\.json doesn't exist\. Run `npm run build` first/);
  });

  it.each([
    "{}",
    "null",
    '{"versions":null}',
    '{"versions":{"1.7.0":null}}',
    '{"versions":{"latest":{"integrity":"sha384-x"}}}',
  ])("throws when sri.json is %s", (text) => {
    writeFileSync(join(built.dist, "embed", "sri.json"), text);
    expect(read).toThrow(/sri\.json doesn't match the loader next to it/);
  });

  it("throws when the build has a released version but different bytes, and accepts identical bytes", () => {
    writeLoader(built.dist, "1.6.10", "// changed\n");
    expect(read).toThrow(/differs from the version 1\.6\.10 that was already released/);
    writeLoader(built.dist, "1.6.10", "// the loader 1.6.10\n");
    expect([...read().versions.keys()]).toEqual(["1.0.0", "1.6.10"]);
    expect(read().sri.evergreen.version).toBe("1.6.10");
    expect(read().versions.get("1.6.10")?.isReleased).toBe(true);
  });

  it("sorts releases by version and ignores everything without an exact version", () => {
    for (const name of ["latest", "1", "v1.2.0", "1.2", "..1.0.0"]) mkdirSync(join(built.releases, name));
    writeFileSync(join(built.releases, "README.md"), "");
    writeRelease(built.releases, "1.10.0", "// the loader 1.10.0\n");
    writeRelease(built.releases, "1.11.0-beta.1", "// no exact version\n");
    const released = [...read().versions].map(([version, { isReleased }]) => [version, isReleased]);
    expect(released).toEqual([
      ["1.0.0", true],
      ["1.6.10", true],
      ["1.10.0", true],
      [builtVersion, false],
    ]);
  });
});

describe("a release", () => {
  const path = (...names: string[]) => join(built.releases, ...names);
  const isNotAsReleased = /1\.0\.0.oriel\.js doesn't match the hash for 1\.0\.0 in .*releases\.json.*Restore both/;

  it("is refused when its bytes have changed or its file is missing", () => {
    writeFileSync(path("1.0.0", "oriel.js"), "// not the loader 1.0.0\n");
    expect(read).toThrow(isNotAsReleased);
    rmSync(path("1.0.0", "oriel.js"));
    expect(read).toThrow(isNotAsReleased);
    rmSync(path("1.0.0"), { recursive: true });
    expect(read).toThrow(isNotAsReleased);
  });

  it.each([
    "{}",
    '{"1.0.0":null}',
    '{"1.0.0":{}}',
    '{"1.0.0":{"integrity":null}}',
    '{"1.0.0":{"integrity":"sha384-x"}}',
  ])("is refused when releases.json is %s", (list) => {
    writeFileSync(path("releases.json"), list);
    expect(read).toThrow(isNotAsReleased);
  });

  it.each(["", "null", "1", "[", null])("is refused when the content of releases.json is %j", (list) => {
    if (list === null) rmSync(built.releases, { recursive: true });
    else writeFileSync(path("releases.json"), list);
    expect(read).toThrow(/releases\.json is missing or damaged\. Pages that pinned a release need this file/);
  });
});

describe("a build that was signed elsewhere", () => {
  it("is served with its signature, without opening the signing key", () => {
    const signature = signScript(Buffer.from(builtLoader), privateKey);
    writeFileSync(signatureFile(), JSON.stringify(signature));
    const { evergreen, sri } = readEmbedScripts(built.dist, built.releases, () => {
      throw new Error("The signing key was opened");
    });
    expect(evergreen.headers["signature"]).toBe(`signature=:${signature.signature}:`);
    expect(sri.evergreen.integrity).toBe(`ed25519-${signature.keyid}`);
  });

  const good = signScript(Buffer.from(builtLoader), privateKey);
  const others = signScript(Buffer.from(builtLoader), generateKeyPairSync("ed25519").privateKey);
  it.each<[string, object | null]>([
    ["is for another script", signScript(Buffer.from("// older\n"), privateKey)],
    ["comes from another key", { ...good, signature: others.signature }],
    ["names another key", { ...good, keyid: others.keyid }],
    ["is truncated", { ...good, signature: good.signature.slice(0, -8) }],
    ["names a truncated key", { ...good, keyid: good.keyid.slice(0, -8) }],
    ["names a key that contains a quote", { ...good, keyid: `${good.keyid}";tag="x` }],
    ["isn't text", { keyid: 1, signature: true }],
    ["is missing", {}],
  ])("is refused when the signature %s", (_name, signature) => {
    writeFileSync(signatureFile(), JSON.stringify(signature));
    expect(read).toThrow(/signature\.json isn't a valid signature of the loader next to it/);
  });
});
