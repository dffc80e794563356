import { spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { text } from "node:stream/consumers";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { newKeyring, openKeyring } from "./keyring.ts";

let directory: string;
let path: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "oriel-keyring-"));
  path = join(directory, "vault.keys.json");
});
afterEach(() => rmSync(directory, { recursive: true }));

describe("the vault's key file", () => {
  it("is made on the first start, for its owner's eyes only, and nothing else is left beside it", () => {
    openKeyring(path);
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(readdirSync(directory)).toEqual(["vault.keys.json"]);
  });

  it("is the same at every later start", () => {
    const first = openKeyring(path);
    const bytes = readFileSync(path);
    expect(openKeyring(path)).toEqual(first);
    expect(readFileSync(path)).toEqual(bytes);
  });

  it("holds keys of full length, each its own", () => {
    const { card, cvc, nonce } = openKeyring(path);
    const secrets = [card.secret, cvc.secret, nonce];
    expect(secrets.map((secret) => secret.length)).toEqual([32, 32, 32]);
    expect(new Set(secrets.map((secret) => secret.toString("hex"))).size).toBe(3);
    expect(newKeyring().card.secret).not.toEqual(card.secret);
  });

  const good = () => JSON.parse(readFileSync(path, "utf8")) as Record<string, unknown>;
  it.each<[string, () => string]>([
    ["empty", () => ""],
    ["cut off", () => readFileSync(path, "utf8").slice(0, 200)],
    ["no JSON", () => "secret-looking-text"],
    ["null", () => "null"],
    ["of a later version", () => JSON.stringify({ ...good(), version: 2 })],
    ["without a key", () => JSON.stringify({ ...good(), card: undefined })],
    ["with a short key", () => JSON.stringify({ ...good(), nonce: Buffer.alloc(16, 7).toString("base64") })],
  ])("that is %s is refused by name, never overwritten and never quoted", (_name, content) => {
    openKeyring(path);
    const broken = content();
    writeFileSync(path, broken);
    expect(() => openKeyring(path)).toThrow(`The key file ${path} cannot be`);
    expect(() => openKeyring(path)).not.toThrow(/secret-looking-text|BwcHBwc/);
    expect(readFileSync(path, "utf8")).toBe(broken);
  });

  it("that is no file is refused, and stays what it is", () => {
    mkdirSync(path);
    expect(() => openKeyring(path)).toThrow(`The key file ${path} cannot be`);
    expect(readdirSync(directory)).toEqual(["vault.keys.json"]);
  });

  it("is one and the same for processes that start at once", async () => {
    const script = `
      import { openKeyring } from ${JSON.stringify(new URL("./keyring.ts", import.meta.url).href)};
      while (Date.now() < Number(process.argv[1])) {}
      process.stdout.write(openKeyring(process.argv[2]).card.id);`;
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
    expect(new Set(ids)).toEqual(new Set([openKeyring(path).card.id]));
    expect(readdirSync(directory)).toEqual(["vault.keys.json"]);
  });
});
