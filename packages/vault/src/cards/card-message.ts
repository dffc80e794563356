/**
 * Decrypts what the iframe sent: a JWE (RFC 7516) for the vault's public key, containing a {@link CardMessage}.
 *
 * Nothing from the sender is trusted. Algorithms are fixed, the size is limited before decryption, and each field of
 * the plaintext is validated. The nonce is ours: signed, bound to one session and valid for ten minutes. The store
 * makes sure that it's used only once. All failures except a stale nonce look the same to the caller.
 */
import { createHmac, randomBytes, timingSafeEqual } from "node:crypto";
import { compactDecrypt, importJWK } from "jose";
import { isCardNumber, isExpiryInFuture, mayLackCvc } from "@oriel/protocol/card";
import { cardNetworks, type CardNetwork } from "@oriel/protocol/card-networks";
import type { CardEncryption, CardMessage } from "@oriel/protocol/frame";
import type { Keys } from "../keys/keyring.ts";
import { thenWipe } from "../sealing/aead.ts";

const nonceLifetimeMs = 10 * 60 * 1000;
const maxMessageLength = 8 * 1024;

export type CardMessageReading =
  | {
      ok: true;
      card: Pick<CardMessage, "number" | "exp_month" | "exp_year" | "cvc">;
      /** Null if the customer hasn't chosen one. */
      network: CardNetwork | null;
      nonce: string;
      nonceExpiresAt: Date;
    }
  | { ok: false; refusal: "card_message_stale" | "card_message_invalid" };

/** What the iframe needs to encrypt one card for one session. */
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
      maxDecompressedLength: 0, // refuses compressed content, which would evade the size limit
    });
    return thenWipe(plaintext, (bytes) => (protectedHeader.kid === kid ? readPlaintext(bytes) : null));
  } catch {
    const kid = keyIdOf(jwe);
    return kid === undefined || kid === keys.transport.kid ? null : "unknown_key";
  }
}

/**
 * Returns the key ID in the header, so that a message encrypted just before a rotation can be renewed instead of
 * refused.
 */
function keyIdOf(jwe: string): string | undefined {
  try {
    const header = Buffer.from(jwe.slice(0, jwe.indexOf(".")), "base64url").toString();
    const { kid } = JSON.parse(header) as { kid?: unknown }; // null throws, and other JSON values have no `kid`
    return typeof kid === "string" ? kid : undefined;
  } catch {
    return undefined;
  }
}

/** @throws Error for invalid JSON and for null */
function readPlaintext(plaintext: Uint8Array): CardMessage | null {
  // Every field is checked below.
  const message = JSON.parse(new TextDecoder().decode(plaintext)) as Record<string, unknown>;
  const { number, exp_month, exp_year, cvc, network, session_id, nonce } = message;
  if (typeof number !== "string" || typeof cvc !== "string") return null;
  if (!/^\d{3,4}$/.test(cvc) && (cvc !== "" || !mayLackCvc(number))) return null;
  if (!isWholeNumber(exp_month, 1, 12) || !isWholeNumber(exp_year, 2000, 2099)) return null;
  if (typeof session_id !== "string" || typeof nonce !== "string") return null;
  const read = { number, exp_month, exp_year, cvc, session_id, nonce };
  if (network === undefined) return read;
  return isCardNetwork(network) ? { ...read, network } : null;
}

function isCardNetwork(value: unknown): value is CardNetwork {
  return cardNetworks.some((network) => network === value);
}

function isWholeNumber(value: unknown, min: number, max: number): value is number {
  // `Number.isInteger` has checked that it's a number.
  return Number.isInteger(value) && (value as number) >= min && (value as number) <= max;
}

function readNonce(keys: Keys, sessionId: string, nonce: string): Date | null {
  const [issuedAt = "", random = "", signature = "", ...more] = nonce.split(".");
  if (more.length > 0) return null; // a suffix would make a used nonce look new
  const expected = Buffer.from(signNonce(keys, sessionId, `${issuedAt}.${random}`));
  const actual = Buffer.from(signature);
  if (actual.length !== expected.length || !timingSafeEqual(actual, expected)) return null;
  return new Date(Number(issuedAt) + nonceLifetimeMs);
}

function signNonce(keys: Keys, sessionId: string, unsigned: string): string {
  return createHmac("sha256", keys.nonce).update(`${sessionId}.${unsigned}`).digest("base64url");
}
