/**
 * The vault's keys: a file of its own, readable by its owner only, never in the database and never handed out of this
 * package.
 *
 * - `card` and `cvc` wrap the data keys of what is stored: lists, oldest first, of which the last is the current one.
 *   They have nothing in common with each other (PCI DSS 3.3.2 asks to consider it), and change by rotation.
 * - `fingerprint` makes a card number comparable without telling it, one for each mode. It stays: under another key no
 *   two fingerprints match.
 * - `nonce` signs the nonces of card messages.
 * - `transport` is the P-256 key pair that the frame encrypts to.
 *
 * Losing the file means that no stored card can be read again. Copying the database without it yields nothing. Every
 * process of the service must have the same file: one that is mounted, or copied before anything uses its new keys.
 */
import { createHash, generateKeyPairSync, hkdfSync, randomBytes } from "node:crypto";
import { KeyFileError, newSecret, openKeyFile, readKeyFile, readSecret, replaceKeyFile } from "./key-file.ts";
import type { Mode } from "./mode.ts";

export type SealingPurpose = "card" | "cvc";
export type KeyPurpose = SealingPurpose | "fingerprint";

export interface SealingKey {
  id: string;
  secret: Buffer;
}

export interface TransportKey {
  kid: string;
  privateKey: { kty: "EC"; crv: "P-256"; x: string; y: string; d: string };
}

/** The keys as one reading of the file found them. */
export interface Keys {
  card: readonly SealingKey[];
  cvc: readonly SealingKey[];
  fingerprint: { test: Buffer; live: Buffer };
  nonce: Buffer;
  transport: TransportKey;
}

/**
 * The keys as this process knows them. Another process may add one at any time: {@link Keyring.keys} looks into the
 * file again every few seconds, {@link Keyring.reread} at once. A key never changes under its name, and a file in which
 * one did is refused as a whole.
 */
export interface Keyring {
  /** What the file is called in a sentence for the operator. */
  readonly name: string;
  /** When the file cannot be read again, the keys that are known stay in use. */
  keys(now: Date): Keys;
  /** @throws KeyFileError; the keys that are known stay in use */
  reread(): Keys;
  /** Puts keys into the file's place. Only for the holder of the lease on it. @throws KeyFileError */
  replace(keys: Keys): void;
}

/** How long a reading of the file is believed. */
const believedForMs = 5_000;

/**
 * Reads the key file, or makes it on the very first start.
 *
 * @throws KeyFileError when the file is there but cannot be used
 */
export function openKeyring(path: string): Keyring {
  return createKeyring(path, openKeyFile(path, newKeyringFile, parseKeys), fileAt(path));
}

/** The same for a file that must be there. @throws KeyFileError */
export function readKeyring(path: string): Keyring {
  return createKeyring(path, readKeyFile(path, parseKeys), fileAt(path));
}

/** Keys for one process that are written nowhere: for tests. */
export function newKeyring(): Keyring {
  let file: object = newKeyringFile();
  return createKeyring("in memory", parseKeys(file), {
    read: () => parseKeys(file),
    write: (keys) => (file = toFile(keys)),
  });
}

/** The key that new records are sealed under. */
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
  let readAt = Infinity; // not yet
  const keyring: Keyring = {
    name,
    keys(now) {
      const time = now.getTime();
      if (time >= readAt && time < readAt + believedForMs) return known;
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
    `The key file ${name} has other keys than before under the same names. Restore it from a backup.`,
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

/** The first version had one key for each purpose and none for fingerprints. */
interface KeyringFile1 extends Pick<KeyringFile, "nonce" | "transport"> {
  version: 1;
  card: { id: string; secret: string };
  cvc: { id: string; secret: string };
}

function parseKeys(content: unknown): Keys {
  const file = content as KeyringFile | KeyringFile1; // a file that this code did not write fails on the way to its keys
  const { kid, jwk: privateKey } = file.transport;
  const nonce = readSecret(file.nonce);
  const rest = { nonce, transport: { kid, privateKey } };
  if (file.version === 1) {
    // Derived, so that every process that reads such a file comes to the same.
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

function deriveFingerprintKey(secret: Buffer, mode: Mode): Buffer {
  return Buffer.from(hkdfSync("sha256", secret, "", `oriel.vault.fingerprint.${mode}`, 32));
}

function newKeyringFile(): KeyringFile {
  const { privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const jwk = privateKey.export({ format: "jwk" }) as TransportKey["privateKey"]; // the type is wider; a P-256 private key has just these members
  return toFile({
    card: [newSealingKey("card")],
    cvc: [newSealingKey("cvc")],
    fingerprint: { test: readSecret(newSecret()), live: readSecret(newSecret()) },
    nonce: readSecret(newSecret()),
    transport: { kid: thumbprint(jwk), privateKey: jwk },
  });
}

function toFile({ card, cvc, fingerprint, nonce, transport }: Keys): KeyringFile {
  const toText = (secret: Buffer) => secret.toString("base64");
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

/** JWK thumbprint, RFC 7638. */
function thumbprint({ kty, crv, x, y }: TransportKey["privateKey"]): string {
  return createHash("sha256").update(JSON.stringify({ crv, kty, x, y })).digest("base64url");
}
