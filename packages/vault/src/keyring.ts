/**
 * The vault's keys: a file of its own, readable by its owner only, never in the database and never handed out of this package.
 *
 * - `card` and `cvc` seal what is stored: 32 bytes each, AES-256-GCM, and never the same key (PCI DSS 3.3.2 asks to consider it).
 * - `nonce` signs the nonces of card messages.
 * - `transport` is the P-256 key pair that the frame encrypts to.
 *
 * Losing the file means that no stored card can be read again. Copying the database without it yields nothing.
 */
import { createHash, generateKeyPairSync, randomBytes } from "node:crypto";
import { newSecret, openKeyFile, readSecret } from "./key-file.ts";

export interface SealingKey {
  id: string;
  secret: Buffer;
}

export interface TransportKey {
  kid: string;
  privateKey: { kty: "EC"; crv: "P-256"; x: string; y: string; d: string };
}

export interface Keyring {
  card: SealingKey;
  cvc: SealingKey;
  nonce: Buffer;
  transport: TransportKey;
}

interface KeyringFile {
  version: 1;
  card: { id: string; secret: string };
  cvc: { id: string; secret: string };
  nonce: string;
  transport: { kid: string; jwk: TransportKey["privateKey"] };
}

/**
 * Reads the key file, or makes it on the very first start.
 *
 * @throws KeyFileError when the file is there but cannot be used
 */
export function openKeyring(path: string): Keyring {
  return openKeyFile(path, newKeyringFile, parseKeyring);
}

/** Keys for one process that are written nowhere: for tests. */
export function newKeyring(): Keyring {
  return parseKeyring(newKeyringFile());
}

function parseKeyring(content: unknown): Keyring {
  const file = content as KeyringFile; // a file that this code did not write fails on the way to its keys
  if (file.version !== 1) throw new Error("Unknown version");
  return {
    card: { id: file.card.id, secret: readSecret(file.card.secret) },
    cvc: { id: file.cvc.id, secret: readSecret(file.cvc.secret) },
    nonce: readSecret(file.nonce),
    transport: { kid: file.transport.kid, privateKey: file.transport.jwk },
  };
}

function newKeyringFile(): KeyringFile {
  const { privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const jwk = privateKey.export({ format: "jwk" }) as TransportKey["privateKey"]; // the type is wider; a P-256 private key has just these members
  return {
    version: 1,
    card: newSealingKey("card"),
    cvc: newSealingKey("cvc"),
    nonce: newSecret(),
    transport: { kid: thumbprint(jwk), jwk },
  };
}

function newSealingKey(purpose: string): { id: string; secret: string } {
  return { id: `${purpose}_${randomBytes(4).toString("hex")}`, secret: newSecret() };
}

/** JWK thumbprint, RFC 7638. */
function thumbprint({ kty, crv, x, y }: TransportKey["privateKey"]): string {
  return createHash("sha256").update(JSON.stringify({ crv, kty, x, y })).digest("base64url");
}
