/**
 * Opens what the frame sent: a JWE (RFC 7516) under the vault's own public key, holding a {@link CardMessage}.
 *
 * Trusts nothing of the sender's: algorithms are pinned, the size is bounded before anything is decrypted, the
 * plaintext is read field by field. The nonce is ours: signed, bound to one session, ten minutes old at most. That it
 * is used once is the store's business. All failures but a stale nonce look alike to the caller.
 */
import { createHmac, randomBytes, timingSafeEqual } from "node:crypto";
import { compactDecrypt, importJWK } from "jose";
import { isCardNumber, isExpiryInFuture } from "@oriel/protocol/card";
import { cardNetworks, type CardNetwork } from "@oriel/protocol/card-networks";
import type { CardEncryption, CardMessage } from "@oriel/protocol/frame";
import type { Keys } from "./keyring.ts";

const nonceLifetimeMs = 10 * 60 * 1000;
const maxMessageLength = 8 * 1024;

export type CardMessageReading =
  | {
      ok: true;
      card: Pick<CardMessage, "number" | "exp_month" | "exp_year" | "cvc">;
      /** Null: the customer has not chosen one. */
      network: CardNetwork | null;
      nonce: string;
      nonceExpiresAt: Date;
    }
  | { ok: false; refusal: "card_message_stale" | "card_message_invalid" };

/** What the frame needs to encrypt one card for one session. */
export function newCardEncryption(keys: Keys, sessionId: string, now: Date): CardEncryption {
  const { kty, crv, x, y } = keys.transport.privateKey;
  const unsigned = `${now.getTime()}.${randomBytes(16).toString("base64url")}`;
  return {
    key: { kty, crv, x, y, kid: keys.transport.kid },
    nonce: `${unsigned}.${signNonce(keys, sessionId, unsigned)}`,
  };
}

export async function readCardMessage(
  keys: Keys,
  jwe: string,
  sessionId: string,
  now: Date,
): Promise<CardMessageReading> {
  const invalid = { ok: false, refusal: "card_message_invalid" } as const;
  if (jwe.length > maxMessageLength) return invalid;

  const message = await decrypt(keys, jwe);
  if (message === "unknown_key") return { ok: false, refusal: "card_message_stale" };
  if (message === null || message.session_id !== sessionId) return invalid;

  const nonceExpiresAt = readNonce(keys, sessionId, message.nonce);
  if (nonceExpiresAt === null) return invalid;
  if (nonceExpiresAt <= now) return { ok: false, refusal: "card_message_stale" };

  const { number, exp_month, exp_year, cvc, network = null } = message;
  if (!isCardNumber(number) || !isExpiryInFuture(exp_month, exp_year, now.getTime())) return invalid;
  return { ok: true, card: { number, exp_month, exp_year, cvc }, network, nonce: message.nonce, nonceExpiresAt };
}

async function decrypt(keys: Keys, jwe: string): Promise<CardMessage | null | "unknown_key"> {
  try {
    const { privateKey, kid } = keys.transport;
    const key = await importJWK(privateKey, "ECDH-ES+A256KW");
    const { plaintext, protectedHeader } = await compactDecrypt(jwe, key, {
      keyManagementAlgorithms: ["ECDH-ES+A256KW"],
      contentEncryptionAlgorithms: ["A256GCM"],
      maxDecompressedLength: 0, // what is compressed is refused: the bound on its size would hold for nothing
    });
    return protectedHeader.kid === kid ? readPlaintext(plaintext) : null;
  } catch {
    const kid = keyIdOf(jwe);
    return kid === undefined || kid === keys.transport.kid ? null : "unknown_key";
  }
}

/** The key a message names, so that one encrypted just before a rotation is renewed instead of refused. */
function keyIdOf(jwe: string): string | undefined {
  try {
    const header = Buffer.from(jwe.slice(0, jwe.indexOf(".")), "base64url").toString();
    const { kid } = JSON.parse(header) as { kid?: unknown }; // null throws; anything else has no such field
    return typeof kid === "string" ? kid : undefined;
  } catch {
    return undefined;
  }
}

/** @throws Error for what isn't JSON, and for null */
function readPlaintext(plaintext: Uint8Array): CardMessage | null {
  const message = JSON.parse(new TextDecoder().decode(plaintext)) as Record<string, unknown>; // every field is checked on the next lines
  const { number, exp_month, exp_year, cvc, network, session_id, nonce } = message;
  if (typeof number !== "string" || typeof cvc !== "string" || !/^\d{3,4}$/.test(cvc)) return null;
  if (!isWhole(exp_month, 1, 12) || !isWhole(exp_year, 2000, 2099)) return null;
  if (typeof session_id !== "string" || typeof nonce !== "string") return null;
  const read = { number, exp_month, exp_year, cvc, session_id, nonce };
  if (network === undefined) return read;
  return isCardNetwork(network) ? { ...read, network } : null;
}

function isCardNetwork(value: unknown): value is CardNetwork {
  return cardNetworks.some((network) => network === value);
}

function isWhole(value: unknown, least: number, most: number): value is number {
  return Number.isInteger(value) && (value as number) >= least && (value as number) <= most; // isInteger has just said that it is a number
}

function readNonce(keys: Keys, sessionId: string, nonce: string): Date | null {
  const [issuedAt = "", random = "", signature = "", ...more] = nonce.split(".");
  if (more.length > 0) return null; // the same nonce with something after it would pass for another one
  const expected = Buffer.from(signNonce(keys, sessionId, `${issuedAt}.${random}`));
  const actual = Buffer.from(signature);
  if (actual.length !== expected.length || !timingSafeEqual(actual, expected)) return null;
  return new Date(Number(issuedAt) + nonceLifetimeMs);
}

function signNonce(keys: Keys, sessionId: string, unsigned: string): string {
  return createHmac("sha256", keys.nonce).update(`${sessionId}.${unsigned}`).digest("base64url");
}
