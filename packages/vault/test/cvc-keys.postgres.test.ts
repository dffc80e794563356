/** CVC keys: replaced by a rotation, and destroyed when no CVC uses them. */
import { beforeEach, describe, expect, it } from "vitest";
import { openForTests } from "../../../scripts/test/open-for-tests.ts";
import { newKeyring, type Keyring } from "../src/keys/keyring.ts";
import { rotateKeys } from "../src/keys/rotate-keys.ts";
import { openVault, openVaultDatabase } from "./open-vault.ts";

const db = await openForTests(openVaultDatabase());
beforeEach(() => db.empty());

const now = () => new Date("2026-06-01T12:00:00Z");
const keyIds = (keyring: Keyring) => keyring.reread().cvc.map(({ id }) => id);

describe("CVC keys", () => {
  it("are replaced by a rotation and destroyed when their last CVC is erased", async () => {
    const keyring = newKeyring();
    const test = openVault(db, { keyring });
    test.acquirer.reply = "silence";
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

  it("are destroyed by the first process that sweeps, and stay registered as retired", async () => {
    const keyring = newKeyring();
    const vaults = [openVault(db, { keyring }), openVault(db, { keyring })];
    for (const { vault } of vaults) await vault.checkKeys();
    const [oldId] = keyIds(keyring);
    await rotateKeys({ db, keyring, now });
    await Promise.all(vaults.map(({ vault }) => vault.sweep()));
    for (const { vault } of vaults) await vault.sweep(); // in case the other process had locked the file
    expect(keyIds(keyring)).toHaveLength(1);
    expect(keyIds(keyring)).not.toContain(oldId);
    expect((await db.dump())["key"]?.filter(({ purpose }) => purpose === "cvc")).toHaveLength(2);
    const retired = vaults.flatMap(({ audited }) => audited).filter(({ what }) => what === "key_retired");
    expect(retired).toEqual([{ what: "key_retired", keyId: oldId, purpose: "cvc" }]);
  });

  it("are left alone without a rotation, and the sweep doesn't lock the key file", async () => {
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

  it("stay in the file while they're current, whatever the database says", async () => {
    const keyring = newKeyring();
    const { vault } = openVault(db, { keyring });
    await vault.checkKeys();
    const before = keyring.reread();
    await db.query("update vault.key set closed_at = now(), retired_at = now()");
    await vault.sweep();
    expect(keyring.reread()).toEqual(before);
  });

  it("stay until the next sweep, with a warning, if another process is changing the key file", async () => {
    const keyring = newKeyring();
    const { vault, warnings } = openVault(db, { keyring });
    await vault.checkKeys();
    await rotateKeys({ db, keyring, now });
    await db.query(
      "insert into vault.key_file_lease (holder, held_until) values ('another', now() + interval '20 seconds')",
    );
    await vault.sweep();
    expect(keyIds(keyring)).toHaveLength(2);
    expect(warnings).toEqual(["Another process is changing the key file. Try again in 30 seconds."]);
    await db.query("delete from vault.key_file_lease");
    await vault.sweep();
    expect(keyIds(keyring)).toHaveLength(1);
  });

  it("stay if this process loses the lease before it changes the file", async () => {
    const keyring = newKeyring();
    const losing = {
      query: async (sql: string, values?: unknown[]) => {
        const result = await db.query(sql, values);
        if (sql.includes("insert into vault.key_file_lease"))
          await db.query("update vault.key_file_lease set holder = 'another'");
        return result;
      },
    };
    const { vault } = openVault(db, { keyring });
    await vault.checkKeys();
    const before = keyring.reread();
    await expect(openVault(losing, { keyring }).vault.checkKeys()).resolves.toBeUndefined();
    await rotateKeys({ db, keyring, now });
    const after = keyring.reread();
    expect(after).not.toEqual(before);
    await expect(openVault(losing, { keyring }).vault.sweep()).rejects.toThrow(
      "Another process is now changing the key file",
    );
    expect(keyring.reread()).toEqual(after);
  });

  it("make the sweep fail if the database fails", async () => {
    const { vault } = openVault({ query: () => Promise.reject(new Error("The database is down")) });
    await expect(vault.sweep()).rejects.toThrow("The database is down");
  });
});
