/**
 * The vault's keys: a file of its own, readable by its owner only, never in the database and never handed out of this package.
 *
 * - `card` and `security_code` seal what is stored: 32 bytes each, AES-256-GCM, and never the same key (PCI DSS 3.3.2 asks to consider it).
 * - `fingerprint` keys the hash by which the same card is recognised (PCI DSS 3.5.1.1: a keyed hash of the whole number).
 * - `nonce` signs the nonces of card messages.
 * - `transport` is the P-256 key pair that the frame encrypts to.
 *
 * Losing the file means that no stored card can be read again. Copying the database without it yields nothing.
 */
import { createHmac, generateKeyPairSync, randomBytes } from "node:crypto";
import { existsSync, linkSync, readFileSync, rmSync, writeFileSync } from "node:fs";

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
  securityCode: SealingKey;
  fingerprint: Buffer;
  nonce: Buffer;
  transport: TransportKey;
}

interface KeyringFile {
  version: 1;
  card: { id: string; secret: string };
  security_code: { id: string; secret: string };
  fingerprint: string;
  nonce: string;
  transport: { kid: string; jwk: TransportKey["privateKey"] };
}

/**
 * Reads the key file, or makes it on the very first start. Two processes that start at once agree on one file.
 *
 * @throws Error when the file is there but cannot be used: it is never overwritten.
 */
export function openKeyring(path: string): Keyring {
  if (!existsSync(path)) createOnce(path, `${JSON.stringify(newKeyringFile(), null, 2)}\n`);
  return readKeyring(path);
}

/** Keys for one process that are written nowhere: for tests. */
export function newKeyring(): Keyring {
  return parseKeyring(newKeyringFile());
}

/** The file appears whole or not at all: nobody reads half a key, and a process that dies here leaves nothing in the way. */
function createOnce(path: string, content: string): void {
  const draft = `${path}.${randomBytes(8).toString("hex")}`;
  writeFileSync(draft, content, { flag: "wx", mode: 0o600 });
  try {
    linkSync(draft, path); // fails if another process was first; then its file is the one
  } catch (error) {
    if (!(error instanceof Error && "code" in error && error.code === "EEXIST")) throw error;
  } finally {
    rmSync(draft);
  }
}

function readKeyring(path: string): Keyring {
  try {
    return parseKeyring(JSON.parse(readFileSync(path, "utf8")) as KeyringFile);
  } catch (error) {
    // The cause is left out: a JSON error quotes the text around the fault, and that text is a key.
    // oxlint-disable-next-line preserve-caught-error
    throw new Error(
      `The vault's key file ${path} cannot be read (${error instanceof Error ? error.name : "unknown error"}). Restore it from a backup.`,
    );
  }
}

function parseKeyring(file: KeyringFile): Keyring {
  if (file.version !== 1) throw new Error("Unknown version");
  return {
    card: { id: file.card.id, secret: key32(file.card.secret) },
    securityCode: { id: file.security_code.id, secret: key32(file.security_code.secret) },
    fingerprint: key32(file.fingerprint),
    nonce: key32(file.nonce),
    transport: { kid: file.transport.kid, privateKey: file.transport.jwk },
  };
}

function newKeyringFile(): KeyringFile {
  const { privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const jwk = privateKey.export({ format: "jwk" }) as TransportKey["privateKey"]; // the type is wider; a P-256 private key has just these members
  return {
    version: 1,
    card: newSealingKey("card"),
    security_code: newSealingKey("security_code"),
    fingerprint: randomBytes(32).toString("base64"),
    nonce: randomBytes(32).toString("base64"),
    transport: { kid: thumbprint(jwk), jwk },
  };
}

function newSealingKey(purpose: string): { id: string; secret: string } {
  return { id: `${purpose}_${randomBytes(4).toString("hex")}`, secret: randomBytes(32).toString("base64") };
}

function thumbprint(jwk: TransportKey["privateKey"]): string {
  return createHmac("sha256", "oriel transport key").update(`${jwk.x}.${jwk.y}`).digest("base64url").slice(0, 16);
}

function key32(base64: string): Buffer {
  const key = Buffer.from(base64, "base64");
  if (key.length !== 32) throw new Error("A key is not 32 bytes long");
  return key;
}
