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

  it("are followed by new ones when they are as old as they may become, by whichever process comes first", async () => {
    const keyring = newKeyring();
    const day = 24 * 60 * 60_000;
    const vaults = [openVault(db, { keyring, cvcKeyLifetimeMs: day }), openVault(db, { keyring, cvcKeyLifetimeMs: day })];
    for (const { vault } of vaults) await vault.checkKeys();
    const [oldId] = keyIds(keyring);
    for (const { clock } of vaults) clock.now = new Date(clock.now.getTime() + day - 1);
    await Promise.all(vaults.map(({ vault }) => vault.sweep()));
    expect(keyIds(keyring)).toEqual([oldId]);
    for (const { clock } of vaults) clock.now = new Date(clock.now.getTime() + 1);
    await Promise.all(vaults.map(({ vault }) => vault.sweep()));
    for (const { vault } of vaults) await vault.sweep();
    expect(keyIds(keyring)).toHaveLength(1);
    expect(keyIds(keyring)).not.toContain(oldId);
    expect((await db.dump())["key"]?.filter(({ purpose }) => purpose === "cvc")).toHaveLength(2);
  });
});
