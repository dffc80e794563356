/**
 * Encrypts a card to the vault's public key: JWE in compact form, `ECDH-ES+A256KW` with `A256GCM`, by WebCrypto alone.
 *
 * Sources: RFC 7516 (JWE), RFC 7518 4.6 (ECDH-ES and its Concat KDF), 4.4 (AES key wrap), 5.3 (AES GCM). Every message
 * has its own ephemeral key, content key and initialization vector. The plaintext contains the session's ID and the
 * service's nonce, so a message is valid for only one session and a short time.
 */
import type { CardEncryption, CardMessage } from "@oriel/protocol/frame";

const algorithm = "ECDH-ES+A256KW";
const keyBits = 256;
const utf8 = new TextEncoder();

export async function encryptCard(card: CardMessage, { key }: CardEncryption, crypto: Crypto): Promise<string> {
  const { kty, crv, x, y, kid } = key;
  const curve = { name: "ECDH", namedCurve: crv };
  const vaultKey = await crypto.subtle.importKey("jwk", { kty, crv, x, y }, curve, false, []);
  const ephemeral = await crypto.subtle.generateKey(curve, false, ["deriveBits"]);
  const epk = await crypto.subtle.exportKey("jwk", ephemeral.publicKey);
  const sharedSecret = await crypto.subtle.deriveBits(
    { name: "ECDH", public: vaultKey },
    ephemeral.privateKey,
    keyBits,
  );

  const wrappingKey = await crypto.subtle.importKey("raw", await concatKdf(sharedSecret, crypto), "AES-KW", false, [
    "wrapKey",
  ]);
  const contentKey = await crypto.subtle.generateKey({ name: "AES-GCM", length: keyBits }, true, ["encrypt"]);
  const encryptedKey = await crypto.subtle.wrapKey("raw", contentKey, wrappingKey, "AES-KW");

  const header = base64url(
    utf8.encode(
      JSON.stringify({ alg: algorithm, enc: "A256GCM", kid, epk: { kty: epk.kty, crv: epk.crv, x: epk.x, y: epk.y } }),
    ),
  );
  const iv = crypto.getRandomValues(new Uint8Array(12));
  const sealed = new Uint8Array(
    await crypto.subtle.encrypt(
      { name: "AES-GCM", iv, additionalData: utf8.encode(header), tagLength: 128 },
      contentKey,
      utf8.encode(JSON.stringify(card)),
    ),
  );
  const tagAt = sealed.length - 16;
  return [header, ...[encryptedKey, iv, sealed.subarray(0, tagAt), sealed.subarray(tagAt)].map(base64url)].join(".");
}

/**
 * The Concat KDF of RFC 7518 4.6.2 with SHA-256. The key is as long as the hash, so one round is enough, with both
 * party names empty:
 * `SHA-256(1 || Z || AlgorithmID || PartyUInfo || PartyVInfo || SuppPubInfo)`.
 */
function concatKdf(sharedSecret: ArrayBuffer, crypto: Crypto): Promise<ArrayBuffer> {
  const id = utf8.encode(algorithm);
  return crypto.subtle.digest(
    "SHA-256",
    joined(uint32(1), new Uint8Array(sharedSecret), uint32(id.length), id, uint32(0), uint32(0), uint32(keyBits)),
  );
}

function uint32(value: number): Uint8Array {
  const bytes = new Uint8Array(4);
  new DataView(bytes.buffer).setUint32(0, value);
  return bytes;
}

function joined(...parts: Uint8Array[]): Uint8Array<ArrayBuffer> {
  const all = new Uint8Array(parts.reduce((length, part) => length + part.length, 0));
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all;
}

function base64url(bytes: ArrayBuffer | Uint8Array): string {
  const text = String.fromCharCode(...new Uint8Array(bytes));
  return btoa(text).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}
