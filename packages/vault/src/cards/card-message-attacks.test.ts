/**
 * Card messages from an attacker: with other algorithms, or with headers that cause extra work or skip a check. All are
 * refused in the same way, and the real message with the same nonce is still accepted.
 */
import { createCipheriv, generateKeyPairSync, publicEncrypt, constants, randomBytes } from "node:crypto";
import { deflateRawSync } from "node:zlib";
import { CompactEncrypt, importJWK } from "jose";
import { describe, expect, it } from "vitest";
import { newKeyring } from "../keys/keyring.ts";
import { newCardEncryption, readCardMessage } from "./card-message.ts";

const keys = newKeyring().reread();
const now = new Date("2026-06-01T12:00:00Z");
const session = "cs_1";
const { key, nonce } = newCardEncryption(keys, session, now);
const card = { number: "4242424242424242", exp_month: 12, exp_year: 2030, cvc: "737", session_id: session, nonce };
const plaintext = JSON.stringify(card);

const base64url = (content: string | Buffer) => Buffer.from(content).toString("base64url");

/**
 * A well-formed message with a content key and header of the attacker's choice. The header decides how it's decrypted.
 */
function forge(header: object, encryptedKey: (contentKey: Buffer) => Buffer, contentKey = randomBytes(32)): string {
  const named = base64url(JSON.stringify({ kid: key.kid, enc: "A256GCM", ...header }));
  const iv = randomBytes(12);
  const cipher = createCipheriv("aes-256-gcm", contentKey, iv).setAAD(Buffer.from(named));
  const sealed = Buffer.concat([cipher.update(plaintext), cipher.final()]);
  return [named, ...[encryptedKey(contentKey), iv, sealed, cipher.getAuthTag()].map(base64url)].join(".");
}

async function encrypt(header: object, content: string | Buffer = plaintext): Promise<string> {
  return await new CompactEncrypt(Buffer.from(content))
    .setProtectedHeader({ alg: "ECDH-ES+A256KW", enc: "A256GCM", kid: key.kid })
    .encrypt(await importJWK(key, "ECDH-ES+A256KW"))
    .then((jwe) => [base64url(JSON.stringify({ ...headerOf(jwe), ...header })), ...jwe.split(".").slice(1)].join("."));
}

function headerOf(jwe: string): object {
  return JSON.parse(Buffer.from(jwe.split(".")[0] ?? "", "base64url").toString()) as object; // created above
}

const rsa = generateKeyPairSync("rsa", { modulusLength: 2048 });
const byRsa = (padding: number) => (contentKey: Buffer) => publicEncrypt({ key: rsa.publicKey, padding }, contentKey);
const password = { p2s: base64url(randomBytes(16)) };

describe("a forged card message", () => {
  it.each<[string, () => string | Promise<string>]>([
    ["RSA1_5, whose errors leak information", () => forge({ alg: "RSA1_5" }, byRsa(constants.RSA_PKCS1_PADDING))],
    ["RSA-OAEP", () => forge({ alg: "RSA-OAEP" }, byRsa(constants.RSA_PKCS1_OAEP_PADDING))],
    ["no key agreement", () => forge({ alg: "dir" }, () => Buffer.alloc(0))],
    ["an empty content key", () => forge({ alg: "dir" }, () => Buffer.alloc(0), Buffer.alloc(32))],
    [
      "a password with four billion iterations",
      () => forge({ alg: "PBES2-HS512+A256KW", p2c: 2 ** 32, ...password }, () => randomBytes(40)),
    ],
    [
      "a password with one iteration",
      () => forge({ alg: "PBES2-HS256+A128KW", p2c: 1, ...password }, () => randomBytes(40)),
    ],
    ["A256KW with a known key", () => forge({ alg: "A256KW" }, () => randomBytes(40))],
    ["alg none", () => forge({ alg: "none" }, () => Buffer.alloc(0))],
    ["no alg", () => forge({}, () => Buffer.alloc(0))],
    ["a list of algs", () => forge({ alg: ["ECDH-ES+A256KW"] }, () => randomBytes(40))],
    ["compressed content", () => encrypt({ zip: "DEF" }, deflateRawSync(plaintext))],
    ["uncompressed content marked as compressed", () => encrypt({ zip: "DEF" })],
    ["a critical extension", () => encrypt({ crit: ["exp"], exp: 1 })],
    ["an extension that turns encoding off", () => encrypt({ crit: ["b64"], b64: false })],
    ["an empty list of extensions", () => encrypt({ crit: [] })],
    ["a point it wasn't encrypted for", () => encrypt({ epk: { kty: "EC", crv: "P-256", x: "AA", y: "AA" } })],
    ["a point on another curve", () => encrypt({ epk: { kty: "OKP", crv: "X25519", x: base64url(randomBytes(32)) } })],
    ["no point", () => encrypt({ epk: undefined })],
    ["an extra header with honest content", () => encrypt({ cty: "json" })],
  ])("with %s is refused, and the real message is still accepted", async (_how, make) => {
    expect(await readCardMessage(keys, await make(), session, now)).toEqual({
      ok: false,
      refusal: "card_message_invalid",
    });
    expect(await readCardMessage(keys, await encrypt({}), session, now)).toMatchObject({ ok: true, nonce });
  });

  it.each(["", " ".repeat(5_000_000)])(
    "with compression is refused even if everything else is right",
    async (padding) => {
      const jwe = await new CompactEncrypt(Buffer.from(JSON.stringify({ ...card, padding })))
        .setProtectedHeader({ alg: "ECDH-ES+A256KW", enc: "A256GCM", kid: key.kid, zip: "DEF" })
        .encrypt(await importJWK(key, "ECDH-ES+A256KW"));
      expect(jwe.length).toBeLessThan(8192);
      expect(await readCardMessage(keys, jwe, session, now)).toEqual({ ok: false, refusal: "card_message_invalid" });
    },
  );

  it("with a critical extension is refused even if everything else is right", async () => {
    const jwe = await new CompactEncrypt(Buffer.from(plaintext))
      .setProtectedHeader({ alg: "ECDH-ES+A256KW", enc: "A256GCM", kid: key.kid, crit: ["mine"], mine: 1 })
      .encrypt(await importJWK(key, "ECDH-ES+A256KW"), { crit: { mine: true } });
    expect(await readCardMessage(keys, jwe, session, now)).toEqual({ ok: false, refusal: "card_message_invalid" });
  });

  it("of more than 8 kB is refused without being read", async () => {
    const long = await encrypt({ padding: "x".repeat(8192) });
    expect(await readCardMessage(keys, long, session, now)).toEqual({ ok: false, refusal: "card_message_invalid" });
  });
});
