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

describe("the loaders that there are", () => {
  it("are the one that was built and each release", () => {
    expect([...read().versions.keys()]).toEqual(["1.0.0", "1.6.10", builtVersion]);
  });

  it("are refused when the build is half of one, or none", () => {
    writeFileSync(join(built.dist, "embed", "oriel.js"), "// another\n");
    expect(read).toThrow(/sri\.json does not describe the loader beside it\. Run `npm run build` again/);
    rmSync(join(built.dist, "embed", "sri.json"));
    expect(read).toThrow(/sri\.json is not there\. Run `npm run build` first/);
  });

  it.each([
    "{}",
    "null",
    '{"versions":null}',
    '{"versions":{"1.7.0":null}}',
    '{"versions":{"latest":{"integrity":"sha384-x"}}}',
  ])("are refused with %s for what the build says of itself", (text) => {
    writeFileSync(join(built.dist, "embed", "sri.json"), text);
    expect(read).toThrow(/sri\.json does not describe the loader beside it/);
  });

  it("are refused when the one that was built calls itself a release and is other bytes; the same bytes are fine", () => {
    writeLoader(built.dist, "1.6.10", "// changed\n");
    expect(read).toThrow(/calls itself 1\.6\.10, and that version was released with other bytes/);
    writeLoader(built.dist, "1.6.10", "// the loader 1.6.10\n");
    expect([...read().versions.keys()]).toEqual(["1.0.0", "1.6.10"]);
    expect(read().sri.evergreen.version).toBe("1.6.10");
    expect(read().versions.get("1.6.10")?.isReleased).toBe(true);
  });

  it("are found by their exact versions, in order, and nothing else there is looked at", () => {
    for (const name of ["latest", "1", "v1.2.0", "1.2", "..1.0.0"]) mkdirSync(join(built.releases, name));
    writeFileSync(join(built.releases, "README.md"), "");
    writeRelease(built.releases, "1.10.0", "// the loader 1.10.0\n");
    writeRelease(built.releases, "1.11.0-beta.1", "// nobody could ask for it\n");
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
  const isNotAsReleased = /1\.0\.0.oriel\.js is not what .*releases\.json says was released as 1\.0\.0.*Restore both/;

  it("with other bytes than were released is refused, as is one that is gone", () => {
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
  ])("is refused when the list of them says %s", (list) => {
    writeFileSync(path("releases.json"), list);
    expect(read).toThrow(isNotAsReleased);
  });

  it.each(["", "null", "1", "[", null])("is refused when the list of them is %j", (list) => {
    if (list === null) rmSync(built.releases, { recursive: true });
    else writeFileSync(path("releases.json"), list);
    expect(read).toThrow(/releases\.json is not there or damaged: pages that pinned a release need it/);
  });
});

describe("a build that was signed where the key is", () => {
  it("is served under that signature, and no key is asked for", () => {
    const signature = signScript(Buffer.from(builtLoader), privateKey);
    writeFileSync(signatureFile(), JSON.stringify(signature));
    const { evergreen, sri } = readEmbedScripts(built.dist, built.releases, () => {
      throw new Error("A key was asked for");
    });
    expect(evergreen.headers["signature"]).toBe(`signature=:${signature.signature}:`);
    expect(sri.evergreen.integrity).toBe(`ed25519-${signature.keyid}`);
  });

  const good = signScript(Buffer.from(builtLoader), privateKey);
  const others = signScript(Buffer.from(builtLoader), generateKeyPairSync("ed25519").privateKey);
  it.each<[string, object | null]>([
    ["another script's", signScript(Buffer.from("// older\n"), privateKey)],
    ["another key's", { ...good, signature: others.signature }],
    ["said to be another key's", { ...good, keyid: others.keyid }],
    ["cut off", { ...good, signature: good.signature.slice(0, -8) }],
    ["under a key that is cut off", { ...good, keyid: good.keyid.slice(0, -8) }],
    ["under a key with a quote in it", { ...good, keyid: `${good.keyid}";tag="x` }],
    ["not text", { keyid: 1, signature: true }],
    ["not there", {}],
  ])("is refused when the signature is %s", (_name, signature) => {
    writeFileSync(signatureFile(), JSON.stringify(signature));
    expect(read).toThrow(/signature\.json does not sign the loader beside it/);
  });
});
