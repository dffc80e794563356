/**
 * An attacker who has the whole database and nothing else finds no card number and no acquirer credentials in any
 * encoding, no digest from which a card number could be found by brute force, and no key.
 */
import { createDecipheriv, createHash, createHmac, getHashes } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openVault, openVaultDatabase, visa, type Row, type VaultDatabaseUnderTest } from "./open-vault.ts";

let db: VaultDatabaseUnderTest;
let dump: Record<string, Row[]>;
let fingerprint: Buffer;
/** Every value of every row, and every table as text. */
let values: Buffer[];
afterAll(() => db.close());
beforeAll(async () => {
  db = await openVaultDatabase();
  const { store, vault } = openVault(db);
  for (let i = 0; i < 20; i++) {
    const stored = await store(`pm_${i}`, { accountNo: i % 3 });
    if (!stored.ok) throw new Error("The card was refused");
    fingerprint = stored.fingerprint;
  }
  for (let i = 0; i < 3; i++) await vault.storeCredentials(accountOf(i), credentials);
  await vault.sweep();
  dump = await db.dump();
  values = Object.values(dump)
    .flat()
    .flatMap((row) => Object.values(row))
    .map((value) => (value instanceof Uint8Array ? Buffer.from(value) : Buffer.from(String(value))));
});

const credentials = {
  api_key: "AQE-an-api-key-for-tests+/0123456789",
  hmac_keys: [
    "44782DEF547AAA06C910C43932B1EB0C71FC68D9D0C057550C48EC2ACF6BA056",
    "8F2C19A07B6D4E5F30A1B2C3D4E5F60718293A4B5C6D7E8F9001122334455667",
  ],
};
const accountOf = (accountNo: number) =>
  ({ id: `aa_${accountNo}`, accountNo, mode: "live", connector: "adyen" }) as const;

const content = JSON.stringify({ number: visa, exp_month: 12, exp_year: 2030 });

/** Encodings that could hide a secret. */
function encodings(secret: Buffer): Buffer[] {
  const texts = [
    secret.toString("latin1"),
    secret.toString("hex"),
    secret.toString("base64"),
    secret.toString("base64url"),
  ];
  const reversed = Buffer.from(secret).reverse().toString("latin1");
  return [...texts, reversed, secret.toString("hex").toUpperCase()].map((text) => Buffer.from(text, "latin1"));
}

/** Finds where any of the needles occurs, even in the middle of other bytes. */
function found(secrets: readonly Buffer[]): string[] {
  return secrets
    .filter((secret) => values.some((value) => value.includes(secret)))
    .map((secret) => secret.toString("hex"));
}

describe("the vault's tables", () => {
  it("contain what was stored, and the search finds it (control)", () => {
    expect(dump["card"]).toHaveLength(20);
    expect(dump["cvc"]).toHaveLength(20);
    expect(dump["credentials"]).toHaveLength(3);
    expect(values.length).toBeGreaterThan(200);
    expect(found([Buffer.from("pm_1")])).toHaveLength(1);
  });

  it("contain no card number or CVC in any encoding", () => {
    const bcd = Buffer.from(visa, "hex");
    const binary = Buffer.alloc(8);
    binary.writeBigUInt64BE(BigInt(visa));
    expect(found([visa, content].flatMap((text) => encodings(Buffer.from(text))))).toEqual([]);
    expect(found([bcd, binary, Buffer.from("4242 4242 4242 4242"), Buffer.from("4242-4242-4242-4242")])).toEqual([]);
    expect(values.filter((value) => value.equals(Buffer.from("9173")))).toEqual([]);
  });

  it("contain no credentials in any encoding, nor their names", () => {
    const texts = Object.entries(credentials).flat(2).concat(JSON.stringify(credentials));
    expect(found(texts.flatMap((text) => encodings(Buffer.from(text))))).toEqual([]);
    const bytes = Buffer.from(credentials.hmac_keys[0] ?? "", "hex");
    expect(found(encodings(bytes).concat(bytes))).toEqual([]);
  });

  it("contain no unkeyed digest of a card number, with or without salt from its row", () => {
    const salts = ["", ...values.filter((value) => value.length <= 64)];
    const algorithms = ["md5", "sha1", "sha256", "sha512", "sha3-256", "sha3-512", "blake2b512"].filter((name) =>
      getHashes().includes(name),
    );
    expect(algorithms.length).toBeGreaterThan(3);
    const digests = algorithms.flatMap((algorithm) =>
      [visa, content].flatMap((text) =>
        salts.flatMap((salt) => [
          createHash(algorithm).update(salt).update(text).digest(),
          createHash(algorithm).update(text).update(salt).digest(),
        ]),
      ),
    );
    const beginnings = new Set(
      digests.flatMap((digest) => encodings(digest).concat(digest)).map((bytes) => bytes.toString("latin1", 0, 8)),
    );
    expect(values.filter((value) => beginnings.has(value.toString("latin1", 0, 8)))).toEqual([]);
  });

  it("contain no fingerprint and no fingerprint key", () => {
    expect(found(encodings(fingerprint).concat(fingerprint))).toEqual([]);
    const keys = pieces(16, 64);
    expect(keys.length).toBeGreaterThan(100);
    for (const key of keys) expect(createHmac("sha256", key).update(visa).digest().equals(fingerprint)).toBe(false);
  });

  it("contain no key: no sequence of bytes decrypts any record, with or without associated data", () => {
    const keys = pieces(32, 32);
    expect(keys.length).toBeGreaterThan(1000);
    const known = { card: visa.slice(-4), credentials: credentials.api_key };
    for (const [table, part] of Object.entries(known)) {
      const [record] = dump[table] ?? [];
      for (const column of ["wrapped_key", "sealed"]) {
        const bytes = Buffer.from(record?.[column] as Uint8Array); // both columns are bytea
        const opened = keys.filter((key) => opens(key, bytes, "") || decryptsTo(part, key, bytes));
        expect(opened).toEqual([]);
      }
    }
  });
});

/** All byte sequences of this length in any value. */
function pieces(least: number, most: number): Buffer[] {
  const keys: Buffer[] = [];
  for (const value of new Set(values.map((bytes) => bytes.toString("latin1")))) {
    const bytes = Buffer.from(value, "latin1");
    for (let length = least; length <= most; length += 16) {
      for (let start = 0; start + length <= bytes.length; start++) keys.push(bytes.subarray(start, start + length));
    }
  }
  return keys;
}

function opens(key: Buffer, sealed: Buffer, associatedData: string): boolean {
  try {
    const decipher = createDecipheriv("aes-256-gcm", key, sealed.subarray(0, 12), { authTagLength: 16 });
    decipher.setAAD(Buffer.from(associatedData)).setAuthTag(sealed.subarray(-16));
    decipher.update(sealed.subarray(12, -16));
    decipher.final();
    return true;
  } catch {
    return false;
  }
}

/** Decrypts without checking the tag. The plaintext of GCM doesn't depend on the associated data. */
function decryptsTo(part: string, key: Buffer, sealed: Buffer): boolean {
  const decipher = createDecipheriv("aes-256-gcm", key, sealed.subarray(0, 12), { authTagLength: 16 });
  return decipher.update(sealed.subarray(12, -16)).includes(part);
}
