/**
 * The vault's keys, in a separate file that only its owner can read. They're never in the database and never passed out
 * of this package.
 *
 * - `card` and `cvc` wrap the data keys of stored records: `cvc` those of CVCs, and `card` those of cards and acquirer
 *   credentials. They're lists, oldest first, and the last key is the current one. They're independent of each other (PCI
 *   DSS 3.3.2 suggests it), and change by rotation.
 * - `fingerprint` makes card numbers comparable without revealing them, with one key per mode. It isn't rotated,
 *   because fingerprints under different keys don't match.
 * - `nonce` signs the nonces of card messages.
 * - `transport` is the P-256 key pair that the iframe encrypts to.
 *
 * If the file is lost, stored cards and credentials can't be read. A copy of the database without it is useless. Every
 * process of the service must have the same file, either mounted or copied before its new keys are used.
 */
import { createHash, createSecretKey, generateKeyPairSync, hkdfSync, randomBytes, type KeyObject } from "node:crypto";
import type { Mode } from "../mode.ts";
import { KeyFileError, newSecret, openKeyFile, readKeyFile, readSecret, replaceKeyFile } from "./key-file.ts";

export type SealingPurpose = "card" | "cvc";
export type KeyPurpose = SealingPurpose | "fingerprint";

export interface SealingKey {
  id: string;
  secret: KeyObject;
}

export interface TransportKey {
  kid: string;
  privateKey: { kty: "EC"; crv: "P-256"; x: string; y: string; d: string };
}

/** The keys as of one read of the file. */
export interface Keys {
  card: readonly SealingKey[];
  cvc: readonly SealingKey[];
  fingerprint: { test: KeyObject; live: KeyObject };
  nonce: KeyObject;
  transport: TransportKey;
}

/**
 * The keys that this process knows. Another process may add one at any time, so {@link Keyring.keys} reads the file
 * again every few seconds and {@link Keyring.reread} does so at once. A key never changes under its name. A file in
 * which one did is refused completely.
 */
export interface Keyring {
  /** The file's name in messages for the operator. */
  readonly name: string;
  /** If the file can't be read again, the known keys stay in use. */
  keys(now: Date): Keys;
  /** @throws KeyFileError; the known keys stay in use */
  reread(): Keys;
  /** Replaces the keys in the file. The caller must have the lease on it. @throws KeyFileError */
  replace(keys: Keys): void;
}

/** How long the keys are used before the file is read again. */
const rereadAfterMs = 5_000;

/**
 * Reads the key file, or creates it on the first start.
 *
 * @throws KeyFileError if the file exists but can't be used
 */
export function openKeyring(path: string): Keyring {
  return createKeyring(path, openKeyFile(path, newKeyringFile, parseKeys), fileAt(path));
}

/** Reads a key file that must exist. @throws KeyFileError */
export function readKeyring(path: string): Keyring {
  return createKeyring(path, readKeyFile(path, parseKeys), fileAt(path));
}

/** Keys for one process that are stored nowhere, for tests. */
export function newKeyring(): Keyring {
  let file: object = newKeyringFile();
  return createKeyring("in memory", parseKeys(file), {
    read: () => parseKeys(file),
    write: (keys) => (file = toFile(keys)),
  });
}

/** Returns the key for new records. */
export function currentKey(keys: Keys, purpose: SealingPurpose): SealingKey {
  const key = keys[purpose].at(-1);
  if (key === undefined) throw new Error("Bug: a keyring without a key");
  return key;
}

export function newSealingKey(purpose: SealingPurpose): SealingKey {
  return { id: `${purpose}_${randomBytes(4).toString("hex")}`, secret: readSecret(newSecret()) };
}

interface KeyStorage {
  read: () => Keys;
  write: (keys: Keys) => void;
}

function fileAt(path: string): KeyStorage {
  return { read: () => readKeyFile(path, parseKeys), write: (keys) => replaceKeyFile(path, toFile(keys)) };
}

function createKeyring(name: string, first: Keys, file: KeyStorage): Keyring {
  let known = first;
  let readAt = Infinity; // not read yet
  const keyring: Keyring = {
    name,
    keys(now) {
      const time = now.getTime();
      if (time >= readAt && time < readAt + rereadAfterMs) return known;
      readAt = time;
      try {
        return keyring.reread();
      } catch (error) {
        if (error instanceof KeyFileError) return known;
        throw error;
      }
    },
    reread() {
      const found = file.read();
      requireSameKeys(name, known, found);
      return (known = found);
    },
    replace(keys) {
      requireSameKeys(name, known, keys);
      file.write(keys);
      keyring.reread();
    },
  };
  return keyring;
}

function requireSameKeys(name: string, known: Keys, found: Keys): void {
  const secrets = new Map(found.card.concat(found.cvc).map(({ id, secret }) => [id, secret]));
  const isSame = ({ id, secret }: SealingKey) => secrets.get(id)?.equals(secret) ?? true;
  const { fingerprint } = known;
  const areSame = fingerprint.test.equals(found.fingerprint.test) && fingerprint.live.equals(found.fingerprint.live);
  if (areSame && known.card.every(isSame) && known.cvc.every(isSame)) return;
  throw new KeyFileError(
    `The key file ${name} no longer contains the same keys under the same names. Restore the file from a backup.`,
  );
}

interface KeyringFile {
  version: 2;
  card: { id: string; secret: string }[];
  cvc: { id: string; secret: string }[];
  fingerprint: { test: string; live: string };
  nonce: string;
  transport: { kid: string; jwk: TransportKey["privateKey"] };
}

/** Version 1 had one key per purpose and no fingerprint keys. */
interface KeyringFile1 extends Pick<KeyringFile, "nonce" | "transport"> {
  version: 1;
  card: { id: string; secret: string };
  cvc: { id: string; secret: string };
}

function parseKeys(content: unknown): Keys {
  const file = content as KeyringFile | KeyringFile1; // any other content fails while its keys are read
  const { kid, jwk: privateKey } = file.transport;
  const nonce = readSecret(file.nonce);
  const rest = { nonce, transport: { kid, privateKey } };
  if (file.version === 1) {
    // Derived, so that all processes get the same keys from such a file.
    const fingerprint = { test: deriveFingerprintKey(nonce, "test"), live: deriveFingerprintKey(nonce, "live") };
    return { card: readSealingKeys([file.card]), cvc: readSealingKeys([file.cvc]), fingerprint, ...rest };
  }
  if (file.version !== 2) throw new Error("Unknown version");
  const fingerprint = { test: readSecret(file.fingerprint.test), live: readSecret(file.fingerprint.live) };
  return { card: readSealingKeys(file.card), cvc: readSealingKeys(file.cvc), fingerprint, ...rest };
}

function readSealingKeys(keys: { id: unknown; secret: unknown }[]): SealingKey[] {
  if (keys.length === 0) throw new Error("No key");
  return keys.map(({ id, secret }) => {
    if (typeof id !== "string" || id === "") throw new Error("A key has no name");
    return { id, secret: readSecret(secret) };
  });
}

function deriveFingerprintKey(secret: KeyObject, mode: Mode): KeyObject {
  return createSecretKey(new Uint8Array(hkdfSync("sha256", secret, "", `oriel.vault.fingerprint.${mode}`, 32)));
}

function newKeyringFile(): KeyringFile {
  const { privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  // A P-256 private key has exactly these fields.
  const jwk = privateKey.export({ format: "jwk" }) as TransportKey["privateKey"];
  return toFile({
    card: [newSealingKey("card")],
    cvc: [newSealingKey("cvc")],
    fingerprint: { test: readSecret(newSecret()), live: readSecret(newSecret()) },
    nonce: readSecret(newSecret()),
    transport: { kid: thumbprint(jwk), privateKey: jwk },
  });
}

function toFile({ card, cvc, fingerprint, nonce, transport }: Keys): KeyringFile {
  const toText = (secret: KeyObject) => secret.export().toString("base64");
  const toEntry = ({ id, secret }: SealingKey) => ({ id, secret: toText(secret) });
  return {
    version: 2,
    card: card.map(toEntry),
    cvc: cvc.map(toEntry),
    fingerprint: { test: toText(fingerprint.test), live: toText(fingerprint.live) },
    nonce: toText(nonce),
    transport: { kid: transport.kid, jwk: transport.privateKey },
  };
}

/** The JWK thumbprint (RFC 7638). */
function thumbprint({ kty, crv, x, y }: TransportKey["privateKey"]): string {
  return createHash("sha256").update(JSON.stringify({ crv, kty, x, y })).digest("base64url");
}
