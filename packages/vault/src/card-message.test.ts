import { createECDH, generateKeyPairSync, randomBytes } from "node:crypto";
import { CompactEncrypt, importJWK, type CompactJWEHeaderParameters } from "jose";
import { cardNetworks } from "@oriel/protocol/card-networks";
import type { CardEncryption } from "@oriel/protocol/frame";
import { describe, expect, it } from "vitest";
import { newCardEncryption, readCardMessage } from "./card-message.ts";
import { newKeyring } from "./keyring.ts";

const keys = newKeyring().reread();
const now = new Date("2026-06-01T12:00:00Z");
const session = "cs_1";
const card = { number: "4242424242424242", exp_month: 12, exp_year: 2030, cvc: "737" };

interface Changes {
  plaintext?: object | string;
  header?: Partial<CompactJWEHeaderParameters>;
  encryption?: CardEncryption;
}

/** What an honest frame sends, but for the changes. */
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

describe("what the frame is given to encrypt with", () => {
  it("is the public half of the key, and a nonce that is never the same", () => {
    const encryption = newCardEncryption(keys, session, now);
    expect(Object.keys(encryption.key).sort()).toEqual(["crv", "kid", "kty", "x", "y"]);
    expect(JSON.stringify(encryption)).not.toContain(keys.transport.privateKey.d);
    expect(newCardEncryption(keys, session, now).nonce).not.toBe(encryption.nonce);
    expect(encryption.nonce).toMatch(/^\d{13}\.[\w-]{22}\.[\w-]{43}$/); // the time, 128 random bits, HMAC-SHA256
  });
});

describe("a card message", () => {
  it("is read, and says until when its nonce has to be remembered", async () => {
    const reading = await read(await encrypt());
    expect(reading).toEqual({ ok: true, card, network: null, nonce: expect.any(String), nonceExpiresAt: minutes(10) });
  });

  it("is good for just under ten minutes", async () => {
    const jwe = await encrypt();
    expect(await read(jwe, new Date(minutes(10).getTime() - 1))).toMatchObject({ ok: true });
    expect(await read(jwe, minutes(10))).toEqual(stale);
  });

  it("of another session is refused", async () => {
    expect(await read(await encrypt(), now, "cs_2")).toEqual(invalid);
    // Said to be of this session, with another one's nonce.
    const { nonce } = newCardEncryption(keys, "cs_2", now);
    expect(await read(await encrypt({ plaintext: { nonce } }))).toEqual(invalid);
  });

  it("under a key that is not ours any more asks for a new one", async () => {
    const encryption = newCardEncryption(newKeyring().reread(), session, now);
    expect(await read(await encrypt({ encryption }))).toEqual(stale);
  });

  it("under such a key that has no name is refused: nothing says that another one would do", async () => {
    const { key, nonce } = newCardEncryption(newKeyring().reread(), session, now);
    for (const header of [{ kid: 7 as unknown as string }, { kid: undefined as unknown as string }]) {
      expect(await read(await encrypt({ encryption: { key, nonce }, header }))).toEqual(invalid);
    }
  });

  it("under another key that borrows the name of ours is refused", async () => {
    const { key, nonce } = newCardEncryption(newKeyring().reread(), session, now);
    const encryption = { key: { ...key, kid: keys.transport.kid }, nonce };
    expect(await read(await encrypt({ encryption }))).toEqual(invalid);
  });

  it("that names no key is refused, even under the right one", async () => {
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
  ])("with %o instead of what was agreed is refused", async (header) => {
    expect(await read(await encrypt({ header }))).toEqual(invalid);
  });

  it("under a key that the message brings itself is refused", async () => {
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

  it("with a point that is not on the curve is refused", async () => {
    const jwe = await encrypt();
    const header = JSON.parse(Buffer.from(jwe.split(".")[0] ?? "", "base64url").toString()) as { epk: { y: string } };
    header.epk.y = createECDH("prime256v1").generateKeys().subarray(33).toString("base64url");
    const forged = [Buffer.from(JSON.stringify(header)).toString("base64url"), ...jwe.split(".").slice(1)].join(".");
    expect(await read(forged)).toEqual(invalid);
  });

  it("with any one of its parts changed is refused", async () => {
    const parts = (await encrypt()).split(".");
    for (let i = 1; i < parts.length; i++) {
      const changed = parts.map((part, at) =>
        at === i ? `${part.startsWith("A") ? "B" : "A"}${part.slice(1)}` : part,
      );
      expect(await read(changed.join("."))).toEqual(invalid);
    }
  });

  it.each(["", "x", "....", "a.b.c.d.e", "{}", "\u0000", "eyJhbGciOiJub25lIn0..."])(
    "that is no message at all, as %j, is refused",
    async (jwe) => {
      expect(await read(jwe)).toEqual(invalid);
    },
  );

  it("of more than 8 kB is refused before it is decrypted", async () => {
    const padded = await encrypt({ plaintext: { padding: "x".repeat(9000) } });
    expect(padded.length).toBeGreaterThan(8192);
    expect(await read(padded)).toEqual(invalid);
    // A control: the same within the bound is read; what nobody asked for is dropped.
    const reading = await read(await encrypt({ plaintext: { padding: "x".repeat(5000) } }));
    expect(reading).toMatchObject({ ok: true, card });
  });

  it("is read up to 8 kB exactly", async () => {
    const padded = async (letters: number) => await encrypt({ plaintext: { padding: "x".repeat(letters) } });
    const letters = Math.floor(((8192 - (await padded(0)).length) * 3) / 4); // three letters are four of base64url
    const read8kB: [number, boolean][] = [];
    for (let more = -2; more <= 2; more++) {
      const jwe = await padded(letters + more);
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
    ["a number whose check digit is wrong", { number: "4242424242424241" }],
    ["a number with spaces", { number: "4242 4242 4242 4242" }],
    ["a number that is a number", { number: 4242424242424242 }],
    ["a number of a wrong length for its brand", { number: "42424242424242424" }],
    ["a number in other digits", { number: "４２４２４２４２４２４２４２４２" }],
    ["no number", { number: undefined }],
    ["a code of two digits", { cvc: "73" }],
    ["a code of five digits", { cvc: "73737" }],
    ["a code with a line feed", { cvc: "737\n" }],
    ["a code that is a number", { cvc: 737 }],
    ["a month that is none", { exp_month: 13 }],
    ["month zero", { exp_month: 0 }],
    ["a month in text", { exp_month: "12" }],
    ["half a month", { exp_month: 1.5 }],
    ["a year in two digits", { exp_year: 30 }],
    ["a year beyond all cards", { exp_year: 2100 }],
    ["an expiry that has passed", { exp_month: 4, exp_year: 2026 }],
    ["a network that there is not", { network: "unknown" }],
    ["a network in capitals", { network: "VISA" }],
    ["a network that every object has", { network: "constructor" }],
    ["an empty network", { network: "" }],
    ["null for a network", { network: null }],
    ["a list of networks", { network: ["visa"] }],
    ["no session", { session_id: undefined }],
    ["no nonce", { nonce: undefined }],
  ])("with %s is refused", async (_name, plaintext) => {
    expect(await read(await encrypt({ plaintext }))).toEqual(invalid);
  });

  it.each([
    { exp_month: 1, exp_year: 2027 },
    { exp_month: 12, exp_year: 2099 },
  ])("may name any month of a year and any year of the century: %o", async (expiry) => {
    expect(await read(await encrypt({ plaintext: expiry }))).toMatchObject({ ok: true, card: expiry });
  });

  it("may name the month that is running", async () => {
    expect(await read(await encrypt({ plaintext: { exp_month: 6, exp_year: 2026 } }))).toMatchObject({ ok: true });
  });
});

describe("the network of a card that two share", () => {
  it.each(cardNetworks)("may be %s, and stands beside the card", async (network) => {
    expect(await read(await encrypt({ plaintext: { network } }))).toMatchObject({ ok: true, card, network });
  });
});

describe("a nonce", () => {
  it.each<[string, (nonce: string) => string]>([
    ["made younger", (nonce) => nonce.replace(/^\d+/, (issuedAt) => String(Number(issuedAt) + 1))],
    ["with another random part", (nonce) => nonce.replace(/\.[^.]+\./, ".AAAAAAAAAAAAAAAAAAAAAA.")],
    ["with its signature changed", (nonce) => `${nonce.slice(0, -1)}${nonce.endsWith("A") ? "B" : "A"}`],
    ["cut off", (nonce) => nonce.slice(0, -1)],
    ["without its signature", (nonce) => nonce.replace(/\.[^.]+$/, "")],
    ["with something after it, which would make it a new one", (nonce) => `${nonce}.1`],
    ["with a dot after it", (nonce) => `${nonce}.`],
    ["empty", () => ""],
    ["of dots", () => ".."],
  ])("%s is refused", async (_name, change) => {
    const encryption = newCardEncryption(keys, session, now);
    expect(await read(await encrypt({ encryption, plaintext: { nonce: change(encryption.nonce) } }))).toEqual(invalid);
  });
});
