import { createECDH, generateKeyPairSync, randomBytes } from "node:crypto";
import { CompactEncrypt, importJWK, type CompactJWEHeaderParameters } from "jose";
import { afterEach, describe, expect, it, vi } from "vitest";
import { cardNetworks } from "@oriel/protocol/card-networks";
import type { CardEncryption } from "@oriel/protocol/frame";
import { newKeyring } from "../keys/keyring.ts";
import { newCardEncryption, readCardMessage } from "./card-message.ts";

const keys = newKeyring().reread();
const now = new Date("2026-06-01T12:00:00Z");
const session = "cs_1";
const card = { number: "4242424242424242", exp_month: 12, exp_year: 2030, cvc: "737" };

interface Changes {
  plaintext?: object | string;
  header?: Partial<CompactJWEHeaderParameters>;
  encryption?: CardEncryption;
}

/** What an honest iframe sends, with optional changes. */
async function encrypt({
  plaintext = {},
  header = {},
  encryption = newCardEncryption(keys, session, now),
}: Changes = {}) {
  const message =
    typeof plaintext === "string"
      ? plaintext
      : JSON.stringify({ ...card, session_id: session, nonce: encryption.nonce, ...plaintext });
  const key = await importJWK(encryption.key, "ECDH-ES+A256KW");
  return await new CompactEncrypt(new TextEncoder().encode(message))
    .setProtectedHeader({ alg: "ECDH-ES+A256KW", enc: "A256GCM", kid: encryption.key.kid, ...header })
    .encrypt(key);
}

const read = (jwe: string, at = now, sessionId = session) => readCardMessage(keys, jwe, sessionId, at);
const invalid = { ok: false, refusal: "card_message_invalid" };
const stale = { ok: false, refusal: "card_message_stale" };
const minutes = (count: number) => new Date(now.getTime() + count * 60_000);

describe("newCardEncryption", () => {
  it("returns the public key and a unique nonce", () => {
    const encryption = newCardEncryption(keys, session, now);
    expect(Object.keys(encryption.key).sort()).toEqual(["crv", "kid", "kty", "x", "y"]);
    expect(JSON.stringify(encryption)).not.toContain(keys.transport.privateKey.d);
    expect(newCardEncryption(keys, session, now).nonce).not.toBe(encryption.nonce);
    expect(encryption.nonce).toMatch(/^\d{13}\.[\w-]{22}\.[\w-]{43}$/); // time, 128 random bits, HMAC-SHA256
  });
});

describe("a decrypted card message", () => {
  afterEach(() => vi.restoreAllMocks());

  it.each([
    ["a valid one", {}],
    ["one that isn't JSON", { plaintext: "4242424242424242" }],
  ])("is overwritten in memory once it's read: %s", async (_which, changes) => {
    const jwe = await encrypt(changes);
    const decoded = vi.spyOn(TextDecoder.prototype, "decode");
    await read(jwe);
    const lengths = decoded.mock.calls.flatMap(([bytes]) => {
      const all = bytes as Uint8Array; // ours and jose's
      return all.every((byte) => byte === 0) ? [all.length] : [];
    });
    expect(lengths).toEqual([expect.any(Number)]);
  });
});

describe("a card message", () => {
  it("is decrypted, and its nonce expires after ten minutes", async () => {
    const reading = await read(await encrypt());
    expect(reading).toEqual({ ok: true, card, network: null, nonce: expect.any(String), nonceExpiresAt: minutes(10) });
  });

  it("is valid for ten minutes", async () => {
    const jwe = await encrypt();
    expect(await read(jwe, new Date(minutes(10).getTime() - 1))).toMatchObject({ ok: true });
    expect(await read(jwe, minutes(10))).toEqual(stale);
  });

  it("for another session is refused", async () => {
    expect(await read(await encrypt(), now, "cs_2")).toEqual(invalid);
    // This message names the right session, but has another session's nonce.
    const { nonce } = newCardEncryption(keys, "cs_2", now);
    expect(await read(await encrypt({ plaintext: { nonce } }))).toEqual(invalid);
  });

  it("for a previous key is reported as stale", async () => {
    const encryption = newCardEncryption(newKeyring().reread(), session, now);
    expect(await read(await encrypt({ encryption }))).toEqual(stale);
  });

  it("for a previous key without a key ID is refused as invalid", async () => {
    const { key, nonce } = newCardEncryption(newKeyring().reread(), session, now);
    for (const header of [{ kid: 7 as unknown as string }, { kid: undefined as unknown as string }]) {
      expect(await read(await encrypt({ encryption: { key, nonce }, header }))).toEqual(invalid);
    }
  });

  it("for another key is refused, even with our key ID", async () => {
    const { key, nonce } = newCardEncryption(newKeyring().reread(), session, now);
    const encryption = { key: { ...key, kid: keys.transport.kid }, nonce };
    expect(await read(await encrypt({ encryption }))).toEqual(invalid);
  });

  it("without a key ID is refused, even with the right key", async () => {
    const { key } = newCardEncryption(keys, session, now);
    const { nonce } = newCardEncryption(keys, session, now);
    const message = JSON.stringify({ ...card, session_id: session, nonce });
    const jwe = await new CompactEncrypt(new TextEncoder().encode(message))
      .setProtectedHeader({ alg: "ECDH-ES+A256KW", enc: "A256GCM" })
      .encrypt(await importJWK(key, "ECDH-ES+A256KW"));
    expect(await read(jwe)).toEqual(invalid);
  });

  it.each<Partial<CompactJWEHeaderParameters>>([
    { alg: "ECDH-ES" },
    { alg: "ECDH-ES+A128KW" },
    { enc: "A128GCM" },
    { enc: "A256CBC-HS512" },
  ])("with the header %o is refused", async (header) => {
    expect(await read(await encrypt({ header }))).toEqual(invalid);
  });

  it("with a key in the message is refused", async () => {
    const kid = keys.transport.kid;
    const direct = await new CompactEncrypt(new TextEncoder().encode(JSON.stringify(card)))
      .setProtectedHeader({ alg: "dir", enc: "A256GCM", kid })
      .encrypt(randomBytes(32));
    const { publicKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
    const rsa = await new CompactEncrypt(new TextEncoder().encode(JSON.stringify(card)))
      .setProtectedHeader({ alg: "RSA-OAEP-256", enc: "A256GCM", kid })
      .encrypt(publicKey);
    expect(await read(direct)).toEqual(invalid);
    expect(await read(rsa)).toEqual(invalid);
  });

  it("with a point that isn't on the curve is refused", async () => {
    const jwe = await encrypt();
    const header = JSON.parse(Buffer.from(jwe.split(".")[0] ?? "", "base64url").toString()) as { epk: { y: string } };
    header.epk.y = createECDH("prime256v1").generateKeys().subarray(33).toString("base64url");
    const forged = [Buffer.from(JSON.stringify(header)).toString("base64url"), ...jwe.split(".").slice(1)].join(".");
    expect(await read(forged)).toEqual(invalid);
  });

  it("with any part changed is refused", async () => {
    const parts = (await encrypt()).split(".");
    for (let i = 1; i < parts.length; i++) {
      const changed = parts.map((part, at) =>
        at === i ? `${part.startsWith("A") ? "B" : "A"}${part.slice(1)}` : part,
      );
      expect(await read(changed.join("."))).toEqual(invalid);
    }
  });

  it.each(["", "x", "....", "a.b.c.d.e", "{}", "\u0000", "eyJhbGciOiJub25lIn0..."])(
    "that isn't a JWE (%j) is refused",
    async (jwe) => {
      expect(await read(jwe)).toEqual(invalid);
    },
  );

  it("of more than 8 kB is refused before it is decrypted", async () => {
    const padded = await encrypt({ plaintext: { padding: "x".repeat(9000) } });
    expect(padded.length).toBeGreaterThan(8192);
    expect(await read(padded)).toEqual(invalid);
    // Control: the same message within the limit is accepted, and unknown fields are dropped.
    const reading = await read(await encrypt({ plaintext: { padding: "x".repeat(5000) } }));
    expect(reading).toMatchObject({ ok: true, card });
  });

  it("is accepted up to exactly 8 kB", async () => {
    const padded = async (characters: number) => await encrypt({ plaintext: { padding: "x".repeat(characters) } });
    // Base64url turns three characters into four.
    const characters = Math.floor(((8192 - (await padded(0)).length) * 3) / 4);
    const read8kB: [number, boolean][] = [];
    for (let more = -2; more <= 2; more++) {
      const jwe = await padded(characters + more);
      read8kB.push([jwe.length, (await read(jwe)).ok]);
    }
    expect(read8kB).toEqual(read8kB.map(([length]) => [length, length <= 8192]));
    expect(read8kB).toContainEqual([8192, true]);
    expect(read8kB.at(-1)?.[1]).toBe(false);
  });

  it.each(["not JSON 4242424242424242", "null", "[]", '"4242424242424242"', "{}"])(
    "with the plaintext %j is refused",
    async (plaintext) => {
      expect(await read(await encrypt({ plaintext }))).toEqual(invalid);
    },
  );

  it.each<[string, object]>([
    ["a number with a wrong check digit", { number: "4242424242424241" }],
    ["a number with spaces", { number: "4242 4242 4242 4242" }],
    ["a number that isn't a string", { number: 4242424242424242 }],
    ["a number with the wrong length for its brand", { number: "42424242424242424" }],
    ["a number in full-width digits", { number: "４２４２４２４２４２４２４２４２" }],
    ["no number", { number: undefined }],
    ["a CVC of two digits", { cvc: "73" }],
    ["an empty CVC", { cvc: "" }],
    ["a part of a CVC that may be missing", { number: "6703444444444449", cvc: "73" }],
    ["a CVC of five digits", { cvc: "73737" }],
    ["a CVC with a line feed", { cvc: "737\n" }],
    ["a CVC that isn't a string", { cvc: 737 }],
    ["month 13", { exp_month: 13 }],
    ["month zero", { exp_month: 0 }],
    ["a month as a string", { exp_month: "12" }],
    ["a fractional month", { exp_month: 1.5 }],
    ["a two-digit year", { exp_year: 30 }],
    ["a year out of range", { exp_year: 2100 }],
    ["an expired card", { exp_month: 4, exp_year: 2026 }],
    ["an unknown network", { network: "unknown" }],
    ["an uppercase network", { network: "VISA" }],
    ["a network named like an object's property", { network: "constructor" }],
    ["an empty network", { network: "" }],
    ["null as the network", { network: null }],
    ["a list of networks", { network: ["visa"] }],
    ["no session", { session_id: undefined }],
    ["no nonce", { nonce: undefined }],
  ])("with %s is refused", async (_name, plaintext) => {
    expect(await read(await encrypt({ plaintext }))).toEqual(invalid);
  });

  it.each([
    { exp_month: 1, exp_year: 2027 },
    { exp_month: 12, exp_year: 2099 },
  ])("accepts the expiry %o", async (expiry) => {
    expect(await read(await encrypt({ plaintext: expiry }))).toMatchObject({ ok: true, card: expiry });
  });

  it.each([
    ["a Maestro card without a CVC", { number: "5000550000000029", cvc: "" }],
    ["a Bancontact card without a CVC", { number: "6703444444444449", cvc: "" }],
    ["a UnionPay number without a check digit", { number: "6222040000030012" }],
  ])("accepts %s", async (_name, plaintext) => {
    expect(await read(await encrypt({ plaintext }))).toMatchObject({ ok: true, card: plaintext });
  });

  it("accepts the current month", async () => {
    expect(await read(await encrypt({ plaintext: { exp_month: 6, exp_year: 2026 } }))).toMatchObject({ ok: true });
  });
});

describe("the network of a co-branded card", () => {
  it.each(cardNetworks)("may be %s, and is returned with the card", async (network) => {
    expect(await read(await encrypt({ plaintext: { network } }))).toMatchObject({ ok: true, card, network });
  });
});

describe("a nonce", () => {
  it.each<[string, (nonce: string) => string]>([
    ["with a later time", (nonce) => nonce.replace(/^\d+/, (issuedAt) => String(Number(issuedAt) + 1))],
    ["with another random part", (nonce) => nonce.replace(/\.[^.]+\./, ".AAAAAAAAAAAAAAAAAAAAAA.")],
    ["with a changed signature", (nonce) => `${nonce.slice(0, -1)}${nonce.endsWith("A") ? "B" : "A"}`],
    ["truncated", (nonce) => nonce.slice(0, -1)],
    ["without a signature", (nonce) => nonce.replace(/\.[^.]+$/, "")],
    ["with a suffix that would make it look new", (nonce) => `${nonce}.1`],
    ["with a trailing dot", (nonce) => `${nonce}.`],
    ["empty", () => ""],
    ["of dots only", () => ".."],
  ])("%s is refused", async (_name, change) => {
    const encryption = newCardEncryption(keys, session, now);
    expect(await read(await encrypt({ encryption, plaintext: { nonce: change(encryption.nonce) } }))).toEqual(invalid);
  });
});
