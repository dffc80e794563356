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

  it("are not touched while there was no rotation", async () => {
    const keyring = newKeyring();
    const { vault, store } = openVault(db, { keyring });
    await store("pm_0");
    const ids = keyIds(keyring);
    await vault.erase(["pm_0"]);
    await vault.sweep();
    expect(keyIds(keyring)).toEqual(ids);
  });
});
