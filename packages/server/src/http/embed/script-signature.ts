/**
 * Signature-based integrity. The page pins a public key with `integrity="ed25519-..."`, so the script can change
 * without a change to the page. The signature covers the script's digest, and the browser compares the digest with the
 * bytes it received.
 *
 * ```
 * Unencoded-Digest: sha-256=:<base64>:
 * Signature-Input: signature=("unencoded-digest";sf);keyid="<base64 public key>";tag="ed25519-integrity"
 * Signature: signature=:<base64>:
 * ```
 * Sources: WICG, Signature-based Integrity; RFC 9421, 2.5 (the signature base); the HTTP working group's
 * Unencoded-Digest. Chromium has verified signatures since version 141, with sha-256 and sha-512 digests only. Other
 * browsers ignore types of `integrity` that they don't support.
 */
import { createHash, createPublicKey, sign, verify, type KeyObject } from "node:crypto";

/** A script's signature and public key, both in base64. */
export interface ScriptSignature {
  /** The public key, 32 bytes. */
  keyid: string;
  signature: string;
}

/** Signs a script. Ed25519 is deterministic: the same script and key give the same signature. */
export function signScript(script: Buffer, privateKey: KeyObject): ScriptSignature {
  const keyid = publicKeyOf(privateKey);
  return { keyid, signature: sign(null, signatureBase(script, keyid), privateKey).toString("base64") };
}

/** Verifies a signature that was created elsewhere. */
export function isSignatureOf({ keyid, signature }: ScriptSignature, script: Buffer): boolean {
  const [key, proof] = [Buffer.from(keyid, "base64"), Buffer.from(signature, "base64")];
  if (key.length !== 32 || key.toString("base64") !== keyid || proof.length !== 64) return false;
  const publicKey = createPublicKey({
    key: { kty: "OKP", crv: "Ed25519", x: key.toString("base64url") },
    format: "jwk",
  });
  return verify(null, signatureBase(script, keyid), publicKey, proof);
}

/** Returns the headers to send with the script. */
export function signatureHeaders({ keyid, signature }: ScriptSignature, script: Buffer): Record<string, string> {
  return {
    "unencoded-digest": digestOf(script),
    "signature-input": `signature=${signatureParams(keyid)}`,
    signature: `signature=:${signature}:`,
  };
}

function signatureBase(script: Buffer, keyid: string): Buffer {
  return Buffer.from(`"unencoded-digest";sf: ${digestOf(script)}\n"@signature-params": ${signatureParams(keyid)}`);
}

function digestOf(script: Buffer): string {
  return `sha-256=:${createHash("sha256").update(script).digest("base64")}:`;
}

function signatureParams(keyid: string): string {
  return `("unencoded-digest";sf);keyid="${keyid}";tag="ed25519-integrity"`;
}

function publicKeyOf(privateKey: KeyObject): string {
  const { x } = createPublicKey(privateKey).export({ format: "jwk" });
  if (x === undefined) throw new Error("Bug: a public key has no bytes");
  return Buffer.from(x, "base64url").toString("base64");
}
