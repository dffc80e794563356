import { createPublicKey, generateKeyPairSync } from "node:crypto";
import { existsSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { temporaryDirectory } from "../../../../../scripts/test/temporary-directory.ts";
import { openSigningKey } from "./signing-key.ts";

let keyDir: string;
beforeEach(() => {
  keyDir = temporaryDirectory(onTestFinished);
});

const inKeyDir = (live = false) => openSigningKey({ embedSigningKeyFile: null, keyDir, live });
const publicHalf = (key: ReturnType<typeof inKeyDir>) => createPublicKey(key).export({ format: "jwk" }).x;

describe("the key in the key directory", () => {
  it("is created once, readable only by its owner, and reused at the next start", () => {
    const first = publicHalf(inKeyDir());
    expect(statSync(join(keyDir, "embed.keys.json")).mode & 0o777).toBe(0o600);
    expect(publicHalf(inKeyDir())).toBe(first);
    expect(publicHalf(inKeyDir(true))).toBe(first);
  });

  it("is not created in live mode", () => {
    expect(() => inKeyDir(true)).toThrow(
      /With ORIEL_LIVE=1, keys aren't created automatically.*ORIEL_EMBED_SIGNING_KEY_FILE/,
    );
    expect(existsSync(join(keyDir, "embed.keys.json"))).toBe(false);
  });

  it.each([
    "{",
    "{}",
    '{"version":1,"signing":7}',
    '{"version":1,"signing":"secret text"}',
    JSON.stringify({ signing: pem("x25519") }),
  ])("is refused when the file is damaged, with an error that doesn't reveal its content", (content) => {
    writeFileSync(join(keyDir, "embed.keys.json"), content);
    expect(inKeyDir).toThrow(/embed\.keys\.json is damaged or from another version[^]*backup\.$/);
  });
});

describe("a key from ORIEL_EMBED_SIGNING_KEY_FILE", () => {
  const open = (text: string | null) => {
    const path = join(keyDir, "signing.pem");
    if (text !== null) writeFileSync(path, text);
    return openSigningKey({ embedSigningKeyFile: path, keyDir, live: true });
  };

  it("is used, and no other key is created", () => {
    const text = pem("ed25519");
    expect(publicHalf(open(text))).toBe(createPublicKey(text).export({ format: "jwk" }).x);
    expect(existsSync(join(keyDir, "embed.keys.json"))).toBe(false);
  });

  it.each([["", pem("x25519"), "secret text", publicPem()]].flat())(
    "is refused when it isn't an Ed25519 private key",
    (text) => {
      expect(() => open(text)).toThrow(
        /signing\.pem isn't an Ed25519 private key in PKCS#8 PEM\. Create one with `openssl genpkey/,
      );
    },
  );

  it("is refused when the file doesn't exist", () => {
    expect(() => open(null)).toThrow(/The signing key .*signing\.pem can't be read/);
  });
});

function pem(type: "ed25519" | "x25519"): string {
  const { privateKey } = type === "ed25519" ? generateKeyPairSync("ed25519") : generateKeyPairSync("x25519");
  return privateKey.export({ type: "pkcs8", format: "pem" }).toString();
}

function publicPem(): string {
  return generateKeyPairSync("ed25519").publicKey.export({ type: "spki", format: "pem" }).toString();
}
