import { spawn } from "node:child_process";
import { createSecretKey, hkdfSync, type KeyObject } from "node:crypto";
import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { calculateJwkThumbprint } from "jose";
import { beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { temporaryDirectory } from "../../../../scripts/test/temporary-directory.ts";
import { currentKey, newKeyring, newSealingKey, openKeyring, readKeyring, type Keys } from "./keyring.ts";

const base64 = (secret: KeyObject) => secret.export().toString("base64");

let directory: string;
let path: string;
beforeEach(() => {
  directory = temporaryDirectory(onTestFinished);
  path = join(directory, "vault.keys.json");
});

describe("the vault's key file", () => {
  it("is created on the first start, readable by its owner only, without leaving other files", () => {
    openKeyring(path);
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(readdirSync(directory)).toEqual(["vault.keys.json"]);
  });

  it("stays the same at later starts", () => {
    const first = openKeyring(path).reread();
    const bytes = readFileSync(path);
    expect(openKeyring(path).reread()).toEqual(first);
    expect(readFileSync(path)).toEqual(bytes);
  });

  it("contains distinct keys of full length", () => {
    const { card, cvc, fingerprint, nonce } = openKeyring(path).reread();
    const secrets = [...card, ...cvc].map(({ secret }) => secret).concat(fingerprint.test, fingerprint.live, nonce);
    expect(secrets.map((secret) => secret.symmetricKeySize)).toEqual([32, 32, 32, 32, 32]);
    expect(new Set(secrets.map((secret) => base64(secret))).size).toBe(5);
    expect(newKeyring().reread().card).not.toEqual(card);
    expect(card.map(({ id }) => id)).toEqual([expect.stringMatching(/^card_[0-9a-f]{8}$/)]);
    expect(cvc.map(({ id }) => id)).toEqual([expect.stringMatching(/^cvc_[0-9a-f]{8}$/)]);
  });

  it("is named by its path, and a keyring without a file is named `in memory`", () => {
    expect(openKeyring(path).name).toBe(path);
    expect(newKeyring().name).toBe("in memory");
  });

  it("identifies the transport key by its RFC 7638 thumbprint", async () => {
    const { kid, privateKey } = openKeyring(path).reread().transport;
    expect(kid).toBe(await calculateJwkThumbprint(privateKey));
  });

  const good = () => JSON.parse(readFileSync(path, "utf8")) as Record<string, unknown>;
  const first = (purpose: string) => (good()[purpose] as object[])[0];
  it.each<[string, () => string]>([
    ["empty", () => ""],
    ["truncated", () => readFileSync(path, "utf8").slice(0, 200)],
    ["not JSON", () => "secret-looking-text"],
    ["null", () => "null"],
    ["of a later version", () => JSON.stringify({ ...good(), version: 3 })],
    ["with no card keys", () => JSON.stringify({ ...good(), card: [] })],
    [
      "with a key without a name",
      () => JSON.stringify({ ...good(), cvc: [{ secret: Buffer.alloc(32, 7).toString("base64") }] }),
    ],
    ["with a missing key", () => JSON.stringify({ ...good(), card: undefined })],
    ["with a key that's an array of bytes", () => JSON.stringify({ ...good(), nonce: Array(32).fill(7) })],
    ["with a key with an empty name", () => JSON.stringify({ ...good(), card: [{ ...first("card"), id: "" }] })],
    ["with a short key", () => JSON.stringify({ ...good(), nonce: Buffer.alloc(16, 7).toString("base64") })],
  ])("that is %s is refused, and neither overwritten nor quoted", (_name, content) => {
    openKeyring(path);
    const broken = content();
    writeFileSync(path, broken);
    expect(() => openKeyring(path)).toThrow(`The key file ${path} is damaged`);
    expect(() => openKeyring(path)).not.toThrow(/secret-looking-text|BwcHBwc/);
    expect(readFileSync(path, "utf8")).toBe(broken);
  });

  it("that is a directory is refused and left alone", () => {
    mkdirSync(path);
    expect(() => openKeyring(path)).toThrow(`Can't read the key file ${path}`);
    expect(readdirSync(directory)).toEqual(["vault.keys.json"]);
  });

  it("is the same for processes that start at the same time", async () => {
    const script = `
      import { openKeyring } from ${JSON.stringify(new URL("./keyring.ts", import.meta.url).href)};
      while (Date.now() < Number(process.argv[1])) {}
      process.stdout.write(openKeyring(process.argv[2]).reread().card[0].id);`;
    const startAt = String(Date.now() + 1000);
    const ids = await Promise.all(
      Array.from({ length: 6 }, async () => {
        const args = ["--disable-warning=ExperimentalWarning", "--input-type=module", "-e", script, startAt, path];
        const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "pipe"] });
        const [id, problem] = await Promise.all([text(child.stdout), text(child.stderr)]);
        expect(problem).toBe("");
        return id;
      }),
    );
    expect(new Set(ids)).toEqual(new Set([currentKey(openKeyring(path).reread(), "card").id]));
    expect(readdirSync(directory)).toEqual(["vault.keys.json"]);
  });

  it("of version 1 gives the same keys in every process", () => {
    openKeyring(path);
    const { nonce, transport } = good();
    const secret = (byte: number) => Buffer.alloc(32, byte).toString("base64");
    const [card, cvc] = [
      { id: "card_1", secret: secret(1) },
      { id: "cvc_1", secret: secret(2) },
    ];
    writeFileSync(path, JSON.stringify({ version: 1, card, cvc, nonce, transport }));
    const keyring = openKeyring(path);
    const keys = keyring.reread();
    expect(keys.card).toEqual([{ id: "card_1", secret: createSecretKey(Buffer.alloc(32, 1)) }]);
    expect(keys.cvc).toEqual([{ id: "cvc_1", secret: createSecretKey(Buffer.alloc(32, 2)) }]);
    // With other keys, the fingerprints of cards stored with that file wouldn't match.
    for (const mode of ["test", "live"] as const) {
      const derived = hkdfSync(
        "sha256",
        Buffer.from(String(nonce), "base64"),
        "",
        `oriel.vault.fingerprint.${mode}`,
        32,
      );
      expect(keys.fingerprint[mode]).toEqual(createSecretKey(new Uint8Array(derived)));
    }
    expect(openKeyring(path).reread()).toEqual(keys);
    keyring.replace(keys); // writes the current version
    expect(good()["version"]).toBe(2);
    expect(openKeyring(path).reread()).toEqual(keys);
  });

  it("is still private to its owner after a replacement, which other processes notice within seconds", () => {
    const [one, other] = [openKeyring(path), openKeyring(path)];
    const at = (seconds: number) => new Date(1_800_000_000_000 + seconds * 1000);
    const before = other.keys(at(0));
    one.keys(at(0));
    const added = newSealingKey("card");
    one.replace({ ...before, card: [...before.card, added] });
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(readdirSync(directory)).toEqual(["vault.keys.json"]);
    expect(currentKey(one.keys(at(0)), "card")).toEqual(added);
    for (const seconds of [0, 4])
      expect(currentKey(other.keys(at(seconds)), "card")).toEqual(currentKey(before, "card"));
    expect(currentKey(other.keys(at(5)), "card")).toEqual(added);
  });

  it("removes drafts of dead processes on replacement, and no other files", () => {
    const keyring = openKeyring(path);
    const others = [
      "vault.keys.json.backup",
      "server.keys.json",
      "other.keys.json.0123456789abcdef",
      "vault.keys.json.0123456789abcdef0",
    ];
    for (const name of [...others, "vault.keys.json.0123456789abcdef"]) writeFileSync(join(directory, name), "{}");
    keyring.replace(keyring.reread());
    expect(readdirSync(directory).sort()).toEqual([...others, "vault.keys.json"].sort());
  });

  it("leaves the known keys in use if it's lost or damaged later", () => {
    const keyring = openKeyring(path);
    const keys = keyring.reread();
    writeFileSync(path, "{");
    expect(keyring.keys(new Date(0))).toEqual(keys);
    expect(() => keyring.reread()).toThrow(`The key file ${path} is damaged`);
    rmSync(path);
    expect(keyring.keys(new Date(10_000))).toEqual(keys);
    expect(() => keyring.reread()).toThrow(`Can't read the key file ${path}`);
    expect(() => readKeyring(path)).toThrow(`Can't read the key file ${path}`);
    expect(readdirSync(directory)).toEqual([]);
  });

  const otherSecret = createSecretKey(Buffer.alloc(32, 7));
  const inFile = ({ card, cvc, fingerprint }: Keys) => ({
    card: card.map(({ id, secret }) => ({ id, secret: base64(secret) })),
    cvc: cvc.map(({ id, secret }) => ({ id, secret: base64(secret) })),
    fingerprint: { test: base64(fingerprint.test), live: base64(fingerprint.live) },
  });
  it.each<[string, (keys: Keys) => Partial<Keys>]>([
    ["cards", ({ card }) => ({ card: card.map(({ id }) => ({ id, secret: otherSecret })) })],
    ["CVCs", ({ cvc }) => ({ cvc: cvc.map(({ id }) => ({ id, secret: otherSecret })) })],
    ["test mode's fingerprints", ({ fingerprint }) => ({ fingerprint: { ...fingerprint, test: otherSecret } })],
    ["live mode's fingerprints", ({ fingerprint }) => ({ fingerprint: { ...fingerprint, live: otherSecret } })],
  ])("with a changed key for %s under an old name is neither accepted nor written", (_what, forge) => {
    const keyring = openKeyring(path);
    const keys = keyring.reread();
    const forged = { ...keys, ...forge(keys) };
    const bytes = readFileSync(path);
    expect(() => keyring.replace(forged)).toThrow(
      "no longer contains the same keys under the same names. Restore the file from a backup.",
    );
    expect(readFileSync(path)).toEqual(bytes);
    writeFileSync(path, JSON.stringify({ ...good(), ...inFile(forged) }));
    expect(openKeyring(path).reread()).toMatchObject(forge(keys));
    expect(() => keyring.reread()).toThrow("no longer contains the same keys under the same names");
    expect(keyring.keys(new Date(0))).toEqual(keys);
  });

  it("doesn't hide bugs: an unexpected error is thrown instead of using the known keys forever", () => {
    const keyring = openKeyring(path);
    keyring.reread = () => {
      throw new TypeError("Bug");
    };
    expect(() => keyring.keys(new Date(0))).toThrow(TypeError);
  });

  it("must have a current key", () => {
    expect(() => currentKey({ ...openKeyring(path).reread(), card: [] }, "card")).toThrow(
      "Bug: a keyring without a key",
    );
  });

  it("stays unchanged if it can't be replaced, and the error says why", () => {
    const keyring = openKeyring(path);
    const keys = keyring.reread();
    rmSync(path);
    mkdirSync(join(path, "a file cannot take the place of this"), { recursive: true });
    expect(() => keyring.replace(keys)).toThrow(`Can't replace the key file ${path} (`);
    expect(readdirSync(directory)).toEqual(["vault.keys.json"]);
    expect(keyring.keys(new Date(0))).toEqual(keys);
  });
});
