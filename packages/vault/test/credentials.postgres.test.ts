/**
 * Credentials of acquirer accounts: stored, erased, and rewrapped by a rotation. Someone with write access to the
 * database moves or changes them. Then they can't be decrypted, and an audit entry is written.
 */
import { beforeEach, describe, expect, it } from "vitest";
import { openForTests } from "../../../scripts/test/open-for-tests.ts";
import { openCredentials, storeCredentials, type CredentialsOf } from "../src/acquirer-accounts/credentials-store.ts";
import { KeyFileError } from "../src/keys/key-file.ts";
import { newKeyring, newSealingKey, type Keyring } from "../src/keys/keyring.ts";
import { rewrapRecords } from "../src/keys/rewrap-records.ts";
import { rotateKeys } from "../src/keys/rotate-keys.ts";
import { checkStoredKeys } from "../src/keys/stored-keys.ts";
import { SealBrokenError } from "../src/sealing/seal.ts";
import type { VaultAuditEntry } from "../src/vault-audit.ts";
import type { VaultDatabase } from "../src/vault-database.ts";
import type { Vault } from "../src/vault.ts";
import { openVault, openVaultDatabase, visa, type Row } from "./open-vault.ts";

const db = await openForTests(openVaultDatabase());
let keyring: Keyring;
let vault: Vault;
let audited: VaultAuditEntry[];
beforeEach(async () => {
  await db.empty();
  keyring = newKeyring();
  vault = openVault(db, { keyring }).vault;
  audited = [];
});

const now = () => new Date("2026-06-01T12:00:00Z");
const ofTest: CredentialsOf = { acquirerAccountId: "aa_test", version: "1", accountNo: 1, mode: "test" };
const ofLive: CredentialsOf = { acquirerAccountId: "aa_live", version: "1", accountNo: 1, mode: "live" };
const ofOther: CredentialsOf = { acquirerAccountId: "aa_other", version: "1", accountNo: 2, mode: "test" };
const credentials = { api_key: "AQE-a-test-key", hmac_keys: ["0123456789abcdef".repeat(4)] };
const secrets = [credentials.api_key, ...credentials.hmac_keys];

const audit = (entry: VaultAuditEntry) => void audited.push(entry);
const open = (owner: CredentialsOf, by: { db?: VaultDatabase; keyring?: Keyring } = {}) =>
  openCredentials(by.db ?? db, by.keyring ?? keyring, owner, now(), audit);
const store = async (owner: CredentialsOf, by = keyring) => {
  await vault.checkKeys();
  expect(await storeCredentials(db, by.keys(now()), { ...owner, credentials }, now())).toBe("stored");
};
const erase = ({ acquirerAccountId, version }: CredentialsOf) => vault.eraseCredentials(acquirerAccountId, version);
const accountOf = ({ acquirerAccountId: id, accountNo, mode }: CredentialsOf) =>
  ({ id, accountNo, mode, connector: "adyen" }) as const;
const rowsOf = async () => (await db.dump())["credentials"] ?? [];
const keyIds = () => keyring.reread().card.map(({ id }) => id);

/** Expects a refusal and an audit entry, both without the content. */
async function expectRefused(owner: CredentialsOf, reason = "does_not_open", by = keyring): Promise<void> {
  audited.length = 0;
  const error = await open(owner, { keyring: by }).catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(SealBrokenError);
  const record = recordOf(owner);
  expect(error).toMatchObject({ reason, record });
  expect(audited).toEqual([{ what: "seal_broken", reason, record, keyId: expect.any(String) as string }]);
  const shown = JSON.stringify([String(error), error, audited]);
  for (const secret of secrets) expect(shown).not.toContain(secret);
}

function recordOf({ acquirerAccountId, version, accountNo, mode }: CredentialsOf) {
  return { accountNo, mode, recordId: `${acquirerAccountId} ${version}`, purpose: "credentials" };
}

describe("credentials", () => {
  it("can be opened for their acquirer account, version, account and mode only", async () => {
    expect(await open(ofTest)).toBeNull();
    await store(ofTest);
    expect(await open(ofTest)).toEqual(credentials);
    for (const other of [ofLive, ofOther, { ...ofTest, version: "2" }]) expect(await open(other)).toBeNull();
    expect(audited).toEqual([]);
    await expectRefused({ ...ofTest, mode: "live" });
    await expectRefused({ ...ofTest, accountNo: 2 });
  });

  it("get a new version and a new data key each time, and earlier versions stay", async () => {
    const account = accountOf(ofTest);
    const first = await vault.storeCredentials(account, credentials);
    const second = await vault.storeCredentials(account, { ...credentials, api_key: "another-key" });
    expect(await open({ ...ofTest, version: first })).toEqual(credentials);
    expect(await open({ ...ofTest, version: second })).toEqual({ ...credentials, api_key: "another-key" });
    const [one, other] = await rowsOf();
    for (const column of ["version", "wrapped_key", "sealed"]) expect(one?.[column]).not.toEqual(other?.[column]);
  });

  it("can't be changed", async () => {
    await store(ofTest);
    const again = { ...ofTest, credentials: { api_key: "another-key" } };
    await expect(storeCredentials(db, keyring.keys(now()), again, now())).rejects.toThrow("duplicate key");
    expect(await open(ofTest)).toEqual(credentials);
  });

  it("have the time at which they were stored", async () => {
    await store(ofTest);
    expect(await rowsOf()).toMatchObject([{ created_at: now() }]);
  });

  it("are erased one version at a time", async () => {
    const next = { ...ofTest, version: "2" };
    for (const owner of [ofTest, next, ofLive, ofOther]) await store(owner);
    await erase(ofTest);
    expect(await open(ofTest)).toBeNull();
    for (const owner of [next, ofLive, ofOther]) expect(await open(owner)).toEqual(credentials);
    await erase(ofTest);
  });

  it("stay when cards and CVCs are swept", async () => {
    await store(ofTest);
    await vault.sweep();
    expect(await open(ofTest)).toEqual(credentials);
  });

  it("aren't returned by the vault's methods", async () => {
    const version = await vault.storeCredentials(accountOf(ofTest), credentials);
    expect(version).toMatch(/^[0-9a-f-]{36}$/);
    expect(await vault.eraseCredentials(ofTest.acquirerAccountId, version)).toBeUndefined();
  });
});

describe("changed credentials", () => {
  beforeEach(async () => {
    for (const owner of [ofTest, ofLive, ofOther]) await store(owner);
  });

  const at = ({ acquirerAccountId }: CredentialsOf) => `acquirer_account_id = '${acquirerAccountId}'`;

  it.each<[string, CredentialsOf]>([
    ["another account's acquirer account", ofOther],
    ["the other mode's acquirer account", ofLive],
    ["another acquirer account of the same account", { ...ofTest, acquirerAccountId: "aa_next" }],
    ["another version", { ...ofTest, version: "2" }],
  ])("can't be opened after they were moved to %s", async (_name, target) => {
    const { acquirerAccountId, version, accountNo, mode } = target;
    await db.query("delete from vault.credentials where acquirer_account_id in ('aa_live', 'aa_other')");
    await db.query(`update vault.credentials set acquirer_account_id = $1, version = $2, account_no = $3, mode = $4`, [
      acquirerAccountId,
      version,
      accountNo,
      mode,
    ]);
    await expectRefused(target);
    expect(await open(ofTest)).toBeNull();
  });

  it.each<[string, CredentialsOf]>([
    ["another account's", ofOther],
    ["the other mode's", ofLive],
  ])("can't be opened if all or part of them was replaced with %s", async (_name, source) => {
    const [own] = (await db.query(`select * from vault.credentials where ${at(ofTest)}`)).rows;
    for (const columns of [["key_id", "wrapped_key", "sealed"], ["wrapped_key"], ["sealed"]]) {
      const set = columns.map((column) => `${column} = other.${column}`).join(", ");
      await db.query(
        `update vault.credentials as own set ${set} from vault.credentials as other
          where own.${at(ofTest)} and other.${at(source)}`,
      );
      await expectRefused(ofTest);
      await restore(own);
    }
    expect(await open(ofTest)).toEqual(credentials);
  });

  it("can't be opened after a bit flip in any byte", async () => {
    const [own] = (await db.query(`select * from vault.credentials where ${at(ofTest)}`)).rows;
    for (const column of ["wrapped_key", "sealed"]) {
      const bytes = Buffer.from(own?.[column] as Uint8Array); // both columns are bytea
      for (let i = 0; i < bytes.length; i += 5) {
        const changed = Buffer.from(bytes);
        changed[i] = (changed[i] ?? 0) ^ 0x80;
        await db.query(`update vault.credentials set ${column} = $1 where ${at(ofTest)}`, [changed]);
        await expectRefused(ofTest);
      }
      await restore(own);
    }
    expect(await open(ofTest)).toEqual(credentials);
  });

  it("can't be opened if a card of the same account was put in their place", async () => {
    await openVault(db, { keyring }).store("aa_test 1", { accountNo: 1 });
    await db.query(
      `update vault.credentials as own set key_id = card.key_id, wrapped_key = card.wrapped_key, sealed = card.sealed
         from vault.card where own.${at(ofTest)}`,
    );
    await expectRefused(ofTest);
  });

  it("can't be opened in a card's place", async () => {
    const other = openVault(db, { keyring });
    await other.store("aa_test 1", { accountNo: 1 });
    await db.query("delete from vault.cvc");
    await db.query(
      `update vault.card set key_id = own.key_id, wrapped_key = own.wrapped_key, sealed = own.sealed
         from vault.credentials as own where own.${at(ofTest)}`,
    );
    await expect(other.charge("aa_test 1")).rejects.toThrow(SealBrokenError);
    expect(other.received).toEqual([]);
  });

  it("are reported as unknown_key with another key file, or if the file lacks their key", async () => {
    await expectRefused(ofTest, "unknown_key", newKeyring());
    await db.query("update vault.credentials set key_id = 'card_elsewhere'");
    await expectRefused(ofTest, "unknown_key");
  });

  it("can be replaced with a new version", async () => {
    await db.query("update vault.credentials set sealed = sealed || 'x'::bytea");
    await expectRefused(ofTest);
    await store({ ...ofTest, version: "2" });
    expect(await open({ ...ofTest, version: "2" })).toEqual(credentials);
  });

  async function restore(row: Row | undefined): Promise<void> {
    await db.query(
      `update vault.credentials set key_id = $1, wrapped_key = $2, sealed = $3 where ${at(ofTest)}`,
      ["key_id", "wrapped_key", "sealed"].map((column) => row?.[column]),
    );
  }
});

describe("a rotation", () => {
  const owners = [ofTest, ofLive, ofOther];
  beforeEach(async () => {
    for (const owner of owners) await store(owner);
  });

  async function expectAllOpen(): Promise<void> {
    for (const owner of owners) expect(await open(owner)).toEqual(credentials);
    expect(audited.filter(({ what }) => what === "seal_broken")).toEqual([]);
  }

  it("rewraps credentials without changing their content, and removes the old key from the file", async () => {
    const [oldId] = keyIds();
    const contents = (await rowsOf()).map(({ sealed }) => sealed);
    const progress: object[] = [];
    const result = await rotateKeys({ db, keyring, now, audit, onProgress: (done) => void progress.push(done) });
    const [newId] = keyIds();
    expect(result).toEqual({
      currentKeyId: newId,
      isResumed: false,
      rewrapped: 3,
      retiredKeyIds: [oldId],
      brokenRecordIds: [],
    });
    expect(progress).toEqual([{ rewrapped: 3, total: 3 }]);
    expect(keyIds()).toHaveLength(1);
    expect(newId).not.toBe(oldId);
    expect((await rowsOf()).map(({ sealed }) => sealed)).toEqual(contents);
    expect((await rowsOf()).map(({ key_id }) => key_id)).toEqual([newId, newId, newId]);
    await expectAllOpen();
  });

  it("rewraps cards and credentials together", async () => {
    const other = openVault(db, { keyring });
    for (const id of ["pm_1", "pm_2"]) await other.store(id);
    const progress: object[] = [];
    const result = await rotateKeys({ db, keyring, now, onProgress: (done) => void progress.push(done) });
    expect(result).toMatchObject({ rewrapped: 5, brokenRecordIds: [] });
    expect(progress).toEqual([
      { rewrapped: 2, total: 5 },
      { rewrapped: 5, total: 5 },
    ]);
    expect(await other.charge("pm_1")).toMatchObject({ number: visa });
    await expectAllOpen();
  });

  it("rewraps more credentials than fit into one batch, and skips those that can't be decrypted", async () => {
    await db.query(`insert into vault.credentials (acquirer_account_id, version, account_no, mode, key_id, wrapped_key,
                      sealed, created_at)
                    select 'aa_many', n, 1000 + n, mode, key_id, wrapped_key, sealed, created_at
                      from vault.credentials, generate_series(1, 1000) as n where account_no = 2`);
    const [oldId] = keyIds();
    const result = await rotateKeys({ db, keyring, now, audit });
    expect(result).toMatchObject({ rewrapped: 3, retiredKeyIds: [] });
    expect(new Set(result.brokenRecordIds).size).toBe(100);
    for (const id of result.brokenRecordIds) expect(id).toMatch(/^aa_many \d+$/);
    expect(audited.filter(({ what }) => what === "seal_broken")).toHaveLength(1000);
    expect(keyIds()).toEqual([oldId, result.currentKeyId]);
    audited.length = 0;
    await expectAllOpen();
    await db.query("delete from vault.credentials where account_no > 1000");
    expect(await rotateKeys({ db, keyring, now })).toMatchObject({ isResumed: true, retiredKeyIds: [oldId] });
    await expectAllOpen();
  });

  it("keeps an old key as long as credentials need it, even without cards", async () => {
    const [oldId] = keyIds();
    await db.query("update vault.credentials set account_no = 3 where account_no = 2");
    expect(await rotateKeys({ db, keyring, now, audit })).toMatchObject({
      rewrapped: 2,
      retiredKeyIds: [],
      brokenRecordIds: ["aa_other 1"],
    });
    const record = recordOf({ ...ofOther, accountNo: 3 });
    expect(audited).toContainEqual({ what: "seal_broken", reason: "does_not_open", record, keyId: oldId });
    expect(keyIds()).toContain(oldId);
    await erase(ofOther);
    await rotateKeys({ db, keyring, now });
    expect(keyIds()).not.toContain(oldId);
  });

  it("skips credentials that are erased while it runs, and rewraps none twice that are stored meanwhile", async () => {
    const replacing: VaultDatabase = {
      async query(sql, values) {
        if (sql.includes("update vault.credentials")) {
          await erase(ofTest);
          await store({ ...ofTest, version: "2" });
        }
        return await db.query(sql, values);
      },
    };
    expect(await rotateKeys({ db: replacing, keyring, now })).toMatchObject({ rewrapped: 2, brokenRecordIds: [] });
    expect(keyIds()).toHaveLength(1);
    for (const owner of [{ ...ofTest, version: "2" }, ofLive, ofOther]) expect(await open(owner)).toEqual(credentials);
  });

  it("wraps no credentials under a key that was closed in the meantime", async () => {
    const [oldId] = keyIds();
    keyring.replace({ ...keyring.reread(), card: [...keyring.reread().card, newSealingKey("card")] });
    await vault.checkKeys();
    await db.query("update vault.key set closed_at = now() where purpose = 'card'");
    const result = await rewrapRecords(db, keyring, now(), () => {}, audit);
    expect(result).toEqual({ rewrapped: 0, brokenRecordIds: [] });
    expect((await rowsOf()).map(({ key_id }) => key_id)).toEqual([oldId, oldId, oldId]);
    await expectAllOpen();
  });

  it("doesn't prevent credentials from being opened while it runs", async () => {
    let readings = 0;
    const between: VaultDatabase = {
      async query(sql, values) {
        const result = await db.query(sql, values);
        if (sql.includes("from vault.credentials where acquirer_account_id") && ++readings === 1)
          await rotateKeys({ db, keyring, now });
        return result;
      },
    };
    expect(await open(ofTest, { db: between })).toEqual(credentials);
    expect(readings).toBe(2);
    expect(audited).toEqual([]);
  });

  it("makes a process with an outdated key file refuse to store credentials, and earlier ones stay", async () => {
    const known = keyring.reread();
    await rotateKeys({ db, keyring, now });
    const before = await rowsOf();
    const outdated = openVault(db, { keyring: { ...keyring, keys: () => known, reread: () => known } });
    await expect(outdated.vault.storeCredentials(accountOf(ofTest), credentials)).rejects.toThrow(KeyFileError);
    const entry = { ...ofTest, version: "2", credentials };
    expect(await storeCredentials(db, known, entry, now())).toBe("key_closed");
    expect(await rowsOf()).toEqual(before);
  });

  it("lets a process that doesn't know the new key yet store and open credentials", async () => {
    let known = keyring.reread();
    const stale = { ...keyring, keys: () => known, reread: () => (known = keyring.reread()) };
    await rotateKeys({ db, keyring, now });
    expect(await open(ofLive, { keyring: stale })).toEqual(credentials);
    await openVault(db, { keyring: stale }).vault.storeCredentials(accountOf(ofTest), credentials);
    expect((await rowsOf()).map(({ key_id }) => key_id)).toEqual(Array(4).fill(keyIds()[0]));
    await expectAllOpen();
  });
});

describe("a key file", () => {
  it("is refused with a copy of the database if it lacks the key of credentials", async () => {
    await store(ofTest);
    await checkStoredKeys(db, keyring);
    await db.query("update vault.credentials set key_id = 'card_elsewhere'");
    await expect(checkStoredKeys(db, keyring)).rejects.toThrow("the key card_elsewhere, with which 1 stored records");
  });
});
