/** Key rotation of a vault in use: interrupted at any step, resumed, and with concurrent reads and writes. */
import { chownSync, statSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { openForTests } from "../../../scripts/test/open-for-tests.ts";
import { temporaryDirectory } from "../../../scripts/test/temporary-directory.ts";
import { KeyFileError } from "../src/keys/key-file.ts";
import { currentKey, newKeyring, newSealingKey, openKeyring, type Keyring } from "../src/keys/keyring.ts";
import { rewrapRecords } from "../src/keys/rewrap-records.ts";
import { rotateKeys, type RotationResult } from "../src/keys/rotate-keys.ts";
import type { VaultAuditEntry } from "../src/vault-audit.ts";
import { openVault, openVaultDatabase, visa, type VaultDatabaseUnderTest } from "./open-vault.ts";

const db = await openForTests(openVaultDatabase());
beforeEach(() => db.empty());

const now = () => new Date("2026-06-01T12:00:00Z");
const keyIds = (keyring: Keyring) => keyring.reread().card.map(({ id }) => id);
const contents = async () =>
  (await db.dump())["card"]?.map(({ sealed }) => Buffer.from(sealed as Uint8Array).toString("hex")); // a bytea
const usedKeys = async () => [...new Set((await db.dump())["card"]?.map(({ key_id }) => key_id))];

/** Stores cards for a rotation to rewrap. */
async function storeCards(keyring: Keyring, count: number): Promise<string[]> {
  const { store } = openVault(db, { keyring });
  const ids = Array.from({ length: count }, (_, i) => `pm_${i}`);
  for (const id of ids) expect(await store(id)).toMatchObject({ ok: true });
  return ids;
}

async function expectAllOpen(keyring: Keyring, ids: readonly string[]): Promise<void> {
  const { charge, audited } = openVault(db, { keyring });
  for (const id of ids) expect(await charge(id)).toMatchObject({ number: visa });
  expect(audited).toEqual([]);
}

describe("a rotation", () => {
  it("rewraps every card without changing its content, and removes the old key from the file", async () => {
    const keyring = newKeyring();
    const ids = await storeCards(keyring, 3);
    const before = { contents: await contents(), keyIds: keyIds(keyring) };
    const audited: VaultAuditEntry[] = [];
    const progress: object[] = [];
    const result = await rotateKeys({
      db,
      keyring,
      now,
      audit: (entry) => void audited.push(entry),
      onProgress: (done) => void progress.push(done),
    });
    const [newId = ""] = keyIds(keyring);
    expect(keyIds(keyring)).toHaveLength(1);
    expect(before.keyIds).not.toContain(newId);
    expect(result).toEqual({
      currentKeyId: newId,
      isResumed: false,
      rewrapped: 3,
      retiredKeyIds: before.keyIds,
      brokenRecordIds: [],
    });
    expect(progress).toEqual([{ rewrapped: 3, total: 3 }]);
    expect(await contents()).toEqual(before.contents);
    expect(await usedKeys()).toEqual([newId]);
    await expectAllOpen(keyring, ids);
    const [oldId] = before.keyIds;
    expect(audited).toContainEqual({ what: "key_registered", keyId: newId, purpose: "card" });
    expect(audited).toContainEqual({ what: "key_closed", keyId: oldId, purpose: "card" });
    expect(audited).toContainEqual({ what: "key_retired", keyId: oldId, purpose: "card" });
  });

  it("keeps the key file's owner and permissions, whoever rotates", async () => {
    const directory = temporaryDirectory(onTestFinished);
    const path = join(directory, "vault.keys.json");
    const keyring = openKeyring(path);
    const ids = await storeCards(keyring, 1);
    const { uid, gid } = statSync(path);
    const owner = uid === 0 ? { uid: 12_345, gid: 12_346 } : { uid, gid }; // only root can change a file's owner
    chownSync(path, owner.uid, owner.gid);
    const [oldId] = keyIds(keyring);
    await rotateKeys({ db, keyring, now });
    expect(keyIds(keyring)).not.toContain(oldId);
    const after = statSync(path);
    expect({ uid: after.uid, gid: after.gid, mode: after.mode & 0o777 }).toEqual({ ...owner, mode: 0o600 });
    await expectAllOpen(openKeyring(path), ids);
  });

  it("rewraps more cards than fit into one batch", async () => {
    const keyring = newKeyring();
    await storeCards(keyring, 1);
    await db.query(`insert into vault.card (payment_method_id, account_no, mode, key_id, wrapped_key, sealed, erase_at, created_at)
                    select 'pm_x' || n, account_no, mode, key_id, wrapped_key, sealed, erase_at, created_at
                      from vault.card, generate_series(1, 1000) as n`);
    // The copies have another ID, so they can't be decrypted: they're skipped, and their key stays.
    const progress: object[] = [];
    const result = await rotateKeys({ db, keyring, now, onProgress: (done) => void progress.push(done) });
    expect(result.rewrapped).toBe(1);
    expect(progress).toEqual(Array.from({ length: 3 }, () => ({ rewrapped: 1, total: 1001 }))); // 500, 500 and 1
    expect(result.brokenRecordIds).toHaveLength(100);
    expect(result.retiredKeyIds).toEqual([]);
    expect(keyIds(keyring)).toHaveLength(2);
    await db.query("delete from vault.card where payment_method_id like 'pm_x%'");
    const next = await rotateKeys({ db, keyring, now });
    expect(next).toMatchObject({ isResumed: true, rewrapped: 0, brokenRecordIds: [] });
    expect(next.retiredKeyIds).toHaveLength(1);
    await expectAllOpen(keyring, ["pm_0"]);
  });

  it("isn't blocked by a record that can't be decrypted", async () => {
    const keyring = newKeyring();
    const ids = await storeCards(keyring, 2);
    await db.query("update vault.card set account_no = 2 where payment_method_id = 'pm_0'");
    const results: RotationResult[] = [];
    const audited: VaultAuditEntry[] = [];
    const [keyId] = keyIds(keyring);
    for (let i = 0; i < 2; i++)
      results.push(await rotateKeys({ db, keyring, now, audit: (entry) => void audited.push(entry) }));
    const record = { mode: "test", accountNo: 2, recordId: "pm_0", purpose: "card" };
    expect(audited).toContainEqual({ what: "seal_broken", reason: "does_not_open", record, keyId });
    expect(results).toMatchObject(results.map(() => ({ isResumed: false, rewrapped: 1, brokenRecordIds: ["pm_0"] })));
    expect(keyIds(keyring)).toHaveLength(2); // the key in between had no records
    await expectAllOpen(keyring, ids.slice(1));
  });

  it("audits a record with an unknown key and continues", async () => {
    const keyring = newKeyring();
    const ids = await storeCards(keyring, 2);
    await db.query("update vault.card set key_id = 'card_elsewhere' where payment_method_id = 'pm_0'");
    const audited: VaultAuditEntry[] = [];
    const result = await rotateKeys({ db, keyring, now, audit: (entry) => void audited.push(entry) });
    expect(result).toMatchObject({ rewrapped: 1, brokenRecordIds: ["pm_0"] });
    const record = { mode: "test", accountNo: 1, recordId: "pm_0", purpose: "card" };
    expect(audited).toContainEqual({ what: "seal_broken", reason: "unknown_key", record, keyId: "card_elsewhere" });
    await expectAllOpen(keyring, ids.slice(1));
  });

  it("counts as resumed if one card was left, even if a broken one keeps the old key", async () => {
    const keyring = newKeyring();
    await storeCards(keyring, 2);
    keyring.replace({ ...keyring.reread(), card: [...keyring.reread().card, newSealingKey("card")] }); // then the process is killed
    await db.query("update vault.card set account_no = 2 where payment_method_id = 'pm_0'");
    const before = keyIds(keyring);
    expect(await rotateKeys({ db, keyring, now })).toMatchObject({
      isResumed: true,
      rewrapped: 1,
      retiredKeyIds: [],
      brokenRecordIds: ["pm_0"],
    });
    expect(keyIds(keyring)).toEqual(before);
  });

  it("creates no key if another rotation has just created one", async () => {
    const keyring = newKeyring();
    const ids = await storeCards(keyring, 1);
    let leases = 0;
    const racing = {
      query: async (sql: string, values?: unknown[]) => {
        // The first lease is for closing old keys, of which there are none. The second is for adding one.
        if (sql.includes("insert into vault.key_file_lease") && ++leases === 2) await rotateKeys({ db, keyring, now });
        return await db.query(sql, values);
      },
    };
    const [oldId = ""] = keyIds(keyring);
    const registered: VaultAuditEntry[] = [];
    await rotateKeys({ db: racing, keyring, now, audit: (entry) => void registered.push(entry) });
    expect(registered.filter(({ what }) => what === "key_registered")).toEqual([]);
    expect(keyIds(keyring)).toEqual([expect.not.stringMatching(oldId)]);
    await expectAllOpen(keyring, ids);
  });

  it("changes nothing if it loses the lease before it changes the file", async () => {
    const keyring = newKeyring();
    const ids = await storeCards(keyring, 1);
    const before = keyring.reread();
    let leases = 0;
    const losing = {
      query: async (sql: string, values?: unknown[]) => {
        const result = await db.query(sql, values);
        const isToAdd = sql.includes("insert into vault.key_file_lease") && ++leases === 2;
        if (isToAdd) await db.query("update vault.key_file_lease set holder = 'another'");
        return result;
      },
    };
    await expect(rotateKeys({ db: losing, keyring, now })).rejects.toThrow(
      "Another process is now changing the key file",
    );
    expect(keyring.reread()).toEqual(before);
    await expectAllOpen(keyring, ids);
  });

  it("leaves every card readable when killed at any step, and can be finished", async () => {
    let steps = Infinity;
    for (let killAt = 1; killAt <= steps; killAt++) {
      await db.empty();
      const keyring = newKeyring();
      const ids = await storeCards(keyring, 3);
      const before = await contents();
      const oldIds = keyIds(keyring);
      const dying = dieAt(killAt);
      const outcome = await rotateKeys({ db: dying.db, keyring, now }).catch((error: unknown) => error);
      if (!(outcome instanceof Error)) steps = dying.calls();
      await expectAllOpen(keyring, ids);
      await storeAndOpenOneMore(keyring, `pm_after_${killAt}`);

      // As if half a minute had passed.
      await db.query("update vault.key_file_lease set held_until = now() - interval '1 second'");
      const result = await rotateKeys({ db, keyring, now });
      expect(result.brokenRecordIds).toEqual([]);
      expect(keyIds(keyring)).toHaveLength(1);
      expect(oldIds).not.toContain(keyIds(keyring)[0]);
      expect(await usedKeys()).toEqual(keyIds(keyring));
      expect((await contents())?.filter((content) => before?.includes(content))).toHaveLength(3);
      await expectAllOpen(keyring, ids);
      expect((await db.dump())["key_file_lease"]).toEqual([]);
    }
    expect(steps).toBeGreaterThan(10); // the last run wasn't killed, and there were steps before
  });

  it("keeps every card readable during reads and writes, and seals none under a closed key", async () => {
    const keyring = newKeyring();
    const ids = await storeCards(keyring, 5);
    const { store, charge } = openVault(db, { keyring });
    let stored = 0;
    const busy = {
      query: async (sql: string, values?: unknown[]) => {
        for (const id of ids) expect(await charge(id)).toMatchObject({ number: visa });
        expect(await store(`pm_new_${++stored}`)).toMatchObject({ ok: true });
        return await db.query(sql, values);
      },
    };
    await rotateKeys({ db: busy, keyring, now });
    await rotateKeys({ db: busy, keyring, now });
    await rotateKeys({ db, keyring, now });
    const all = ids.concat(Array.from({ length: stored }, (_, i) => `pm_new_${i + 1}`));
    expect(stored).toBeGreaterThan(20);
    await expectAllOpen(keyring, all);
    expect(await usedKeys()).toEqual(keyIds(keyring));
  });

  it.each([1, 2, 3])("loses no card when overtaken by %i other rotations", async (others) => {
    const keyring = newKeyring();
    const ids = await storeCards(keyring, 3);
    let isFirst = true;
    const racing = {
      query: async (sql: string, values?: unknown[]) => {
        const rows = await db.query(sql, values);
        if (isFirst && sql.includes("order by payment_method_id")) {
          isFirst = false;
          for (let i = 0; i < others; i++) await rotateKeys({ db, keyring, now });
        }
        return rows;
      },
    };
    const { store } = openVault(db, { keyring });
    // The state after a killed rotation.
    keyring.replace({ ...keyring.reread(), card: [...keyring.reread().card, newSealingKey("card")] });
    await store("pm_new"); // registers the new key
    const progress: object[] = [];
    const result = await rotateKeys({ db: racing, keyring, now, onProgress: (done) => void progress.push(done) });
    expect(progress[0]).toEqual({ rewrapped: 0, total: 3 }); // the other rotations have rewrapped the cards already
    expect(result.brokenRecordIds).toEqual([]);
    expect(keyIds(keyring)).toHaveLength(1);
    expect(await usedKeys()).toEqual(keyIds(keyring));
    await expectAllOpen(keyring, ids);
  });

  it("wraps no card under a key that was closed in the meantime", async () => {
    const keyring = newKeyring();
    const ids = await storeCards(keyring, 2);
    const [oldId] = keyIds(keyring);
    keyring.replace({ ...keyring.reread(), card: [...keyring.reread().card, newSealingKey("card")] });
    await openVault(db, { keyring }).vault.checkKeys();
    await db.query("update vault.key set closed_at = now() where purpose = 'card'");
    expect(
      await rewrapRecords(
        db,
        keyring,
        now(),
        () => {},
        () => {},
      ),
    ).toEqual({ rewrapped: 0, brokenRecordIds: [] });
    expect(await usedKeys()).toEqual([oldId]);
    await expectAllOpen(keyring, ids);
  });

  it("is refused while another process is changing the key file", async () => {
    const keyring = newKeyring();
    await storeCards(keyring, 1);
    await db.query(
      "insert into vault.key_file_lease (holder, held_until) values ('another', now() + interval '20 seconds')",
    );
    const ids = keyIds(keyring);
    await expect(rotateKeys({ db, keyring, now })).rejects.toThrow("Another process is changing the key file");
    expect(keyIds(keyring)).toEqual(ids);
  });
});

describe("a process that doesn't know a new key yet", () => {
  /** The same file, which this process reads again only when it has to. */
  function stale(keyring: Keyring): Keyring {
    let known = keyring.reread();
    return { ...keyring, keys: () => known, reread: () => (known = keyring.reread()) };
  }

  it("opens records under the new key, and uses it for new records", async () => {
    const keyring = newKeyring();
    const ids = await storeCards(keyring, 2);
    const [reader, writer] = [stale(keyring), stale(keyring)];
    await rotateKeys({ db, keyring, now });
    await expectAllOpen(reader, ids);
    await storeAndOpenOneMore(writer, "pm_new");
    expect(await usedKeys()).toEqual(keyIds(keyring));
  });

  it("opens a card that's rewrapped, and whose old key is removed, while it reads", async () => {
    const keyring = newKeyring();
    await storeCards(keyring, 1);
    let isFirst = true;
    const between = {
      query: async (sql: string, values?: unknown[]) => {
        const result = await db.query(sql, values);
        if (isFirst && sql.includes("left join vault.cvc")) {
          isFirst = false;
          await rotateKeys({ db, keyring, now });
        }
        return result;
      },
    };
    const { charge, audited } = openVault(between, { keyring });
    expect(await charge("pm_0")).toMatchObject({ number: visa });
    expect(audited).toEqual([]);
  });

  it("asks for the newest key file after three attempts if all its keys are closed", async () => {
    const keyring = newKeyring();
    await openVault(db, { keyring }).vault.checkKeys();
    await db.query("update vault.key set closed_at = now()");
    let attempts = 0;
    const counted = {
      query: (sql: string, values?: unknown[]) => {
        if (sql.includes("insert into vault.card")) attempts++;
        return db.query(sql, values);
      },
    };
    await expect(openVault(counted, { keyring }).store("pm_new")).rejects.toThrow(
      "Give this process the newest key file.",
    );
    expect(attempts).toBe(3);
  });

  it("never seals under the old key, and asks for the newest key file", async () => {
    const keyring = newKeyring();
    await storeCards(keyring, 1);
    const known = keyring.reread();
    await rotateKeys({ db, keyring, now });
    const { store } = openVault(db, { keyring: { ...keyring, keys: () => known, reread: () => known } });
    await expect(store("pm_new")).rejects.toThrow(KeyFileError);
    expect((await db.dump())["card"]).toHaveLength(1);
  });
});

describe("a key file", () => {
  it("with an unregistered key is used after the key is registered", async () => {
    const keyring = newKeyring();
    const keys = keyring.reread();
    await storeCards(keyring, 1);
    keyring.replace({ ...keys, card: [...keys.card, newSealingKey("card")] }); // then the process is killed
    await storeAndOpenOneMore(keyring, "pm_new");
    expect(await usedKeys()).toContain(currentKey(keyring.reread(), "card").id);
    expect(await rotateKeys({ db, keyring, now })).toMatchObject({ isResumed: true, rewrapped: 1 });
  });
});

async function storeAndOpenOneMore(keyring: Keyring, id: string): Promise<void> {
  const { store, charge } = openVault(db, { keyring });
  expect(await store(id)).toMatchObject({ ok: true });
  expect(await charge(id)).toMatchObject({ number: visa, cvc: "9173" });
}

/** A database whose client is killed at its nth query. That query and all later ones never reach it. */
function dieAt(n: number): { db: Pick<VaultDatabaseUnderTest, "query">; calls: () => number } {
  let calls = 0;
  return {
    calls: () => calls,
    db: {
      query: (sql, values) => (++calls >= n ? Promise.reject(new Error("Killed")) : db.query(sql, values)),
    },
  };
}
