/** The keys of the codes: followed by new ones, and destroyed when the last code under them is gone. */
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { newKeyring, type Keyring } from "../src/keyring.ts";
import { rotateKeys } from "../src/rotate-keys.ts";
import { openVault, openVaultDatabase, type VaultDatabaseUnderTest } from "./open-vault.ts";

/** A database takes its time where the machine has other things to do. */
vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 });

let db: VaultDatabaseUnderTest;
beforeAll(async () => void (db = await openVaultDatabase()));
beforeEach(() => db.empty());
afterAll(() => db.close());

const now = () => new Date("2026-06-01T12:00:00Z");
const keyIds = (keyring: Keyring) => keyring.reread().cvc.map(({ id }) => id);

describe("the codes' keys", () => {
  it("are followed by new ones at a rotation, and destroyed when their last code is gone", async () => {
    const keyring = newKeyring();
    const test = openVault(db, { keyring });
    test.bank.answer = "silence";
    await test.store("pm_0");
    const [oldId] = keyIds(keyring);
    await rotateKeys({ db, keyring, now });
    await test.store("pm_1");
    expect(keyIds(keyring)).toEqual([oldId, expect.any(String)]);
    expect(await test.charge("pm_0")).toMatchObject({ cvc: "9173" });
    await test.vault.sweep();
    expect(keyIds(keyring)).toHaveLength(2);

    test.clock.now = new Date(test.clock.now.getTime() + 16 * 60_000);
    await test.vault.sweep();
    expect(keyIds(keyring)).toHaveLength(1);
    expect(keyIds(keyring)).not.toContain(oldId);
    expect(test.audited).toContainEqual({ what: "key_retired", keyId: oldId, purpose: "cvc" });
    expect(test.warnings).toEqual([]);
  });

  it("are destroyed by whichever process sweeps first, and stay registered as retired", async () => {
    const keyring = newKeyring();
    const vaults = [openVault(db, { keyring }), openVault(db, { keyring })];
    for (const { vault } of vaults) await vault.checkKeys();
    const [oldId] = keyIds(keyring);
    await rotateKeys({ db, keyring, now });
    await Promise.all(vaults.map(({ vault }) => vault.sweep()));
    for (const { vault } of vaults) await vault.sweep(); // for one that found the other at it
    expect(keyIds(keyring)).toHaveLength(1);
    expect(keyIds(keyring)).not.toContain(oldId);
    expect((await db.dump())["key"]?.filter(({ purpose }) => purpose === "cvc")).toHaveLength(2);
    const retired = vaults.flatMap(({ audited }) => audited).filter(({ what }) => what === "key_retired");
    expect(retired).toEqual([{ what: "key_retired", keyId: oldId, purpose: "cvc" }]);
  });

  it("are not touched while there was no rotation, and nobody waits for the key file", async () => {
    const keyring = newKeyring();
    const statements: string[] = [];
    const watched = { query: (sql: string, values?: unknown[]) => (statements.push(sql), db.query(sql, values)) };
    const { vault, store } = openVault(watched, { keyring });
    await store("pm_0");
    const ids = keyIds(keyring);
    await vault.erase(["pm_0"]);
    await vault.sweep();
    expect(keyIds(keyring)).toEqual(ids);
    expect(statements.filter((sql) => sql.includes("key_file_lease"))).toEqual([]);
  });

  it("that are in use stay in the file, whatever the database says of them", async () => {
    const keyring = newKeyring();
    const { vault } = openVault(db, { keyring });
    await vault.checkKeys();
    const before = keyring.reread();
    await db.query("update vault.key set closed_at = now(), retired_at = now()");
    await vault.sweep();
    expect(keyring.reread()).toEqual(before);
  });

  it("stay for now when another process is at the key file: the operator is told, and the next sweep destroys them", async () => {
    const keyring = newKeyring();
    const { vault, warnings } = openVault(db, { keyring });
    await vault.checkKeys();
    await rotateKeys({ db, keyring, now });
    await db.query(
      "insert into vault.key_file_lease (holder, held_until) values ('another', now() + interval '20 seconds')",
    );
    await vault.sweep();
    expect(keyIds(keyring)).toHaveLength(2);
    expect(warnings).toEqual(["Another process is changing the key file. Try again in half a minute."]);
    await db.query("delete from vault.key_file_lease");
    await vault.sweep();
    expect(keyIds(keyring)).toHaveLength(1);
  });

  it("stay when this process loses its hold of the key file before it has changed it", async () => {
    const keyring = newKeyring();
    const losing = {
      query: async (sql: string, values?: unknown[]) => {
        const answer = await db.query(sql, values);
        if (sql.includes("insert into vault.key_file_lease"))
          await db.query("update vault.key_file_lease set holder = 'another'");
        return answer;
      },
    };
    const { vault } = openVault(db, { keyring });
    await vault.checkKeys();
    const before = keyring.reread();
    await expect(openVault(losing, { keyring }).vault.checkKeys()).resolves.toBeUndefined();
    await rotateKeys({ db, keyring, now });
    const after = keyring.reread();
    expect(after).not.toEqual(before);
    await expect(openVault(losing, { keyring }).vault.sweep()).rejects.toThrow("The lease on the key file was lost");
    expect(keyring.reread()).toEqual(after);
  });

  it("are not swept quietly past a failure of the database", async () => {
    const { vault } = openVault({ query: () => Promise.reject(new Error("The database is away")) });
    await expect(vault.sweep()).rejects.toThrow("The database is away");
  });
});
