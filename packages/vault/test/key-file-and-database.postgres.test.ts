/**
 * The key file and the database belong together. A file that doesn't match is refused with a message, and nothing is
 * written.
 */
import { createSecretKey } from "node:crypto";
import { beforeEach, describe, expect, it } from "vitest";
import { openForTests } from "../../../scripts/test/open-for-tests.ts";
import { readDatabaseRole } from "../src/database-role.ts";
import { KeyFileError } from "../src/keys/key-file.ts";
import { checkValue } from "../src/keys/key-register.ts";
import { newKeyring, newSealingKey, type Keyring, type Keys } from "../src/keys/keyring.ts";
import { rotateKeys } from "../src/keys/rotate-keys.ts";
import { openVault, openVaultDatabase } from "./open-vault.ts";

const db = await openForTests(openVaultDatabase());
beforeEach(() => db.empty());

/** A keyring that has just read these keys, as in a process that was restarted. */
function withKeys(keys: Keys): Keyring {
  return { name: "vault.keys.json", keys: () => keys, reread: () => keys, replace: () => {} };
}

/**
 * Expects a refusal at startup, and when a process that skipped the check stores a card. The database must be
 * unchanged.
 */
async function expectRefused(keys: Keys, sentence: string): Promise<void> {
  const before = await db.dump();
  const { vault, store, audited } = openVault(db, { keyring: withKeys(keys) });
  await expect(vault.checkKeys()).rejects.toThrow(KeyFileError);
  await expect(vault.checkKeys()).rejects.toThrow(sentence);
  await expect(vault.checkKeys()).rejects.toThrow("Restore the right key file.");
  await expect(store("pm_forged")).rejects.toThrow(KeyFileError);
  await expect(rotateKeys({ db, keyring: withKeys(keys), now: () => new Date() })).rejects.toThrow(KeyFileError);
  expect(await db.dump()).toEqual(before);
  expect(audited).toEqual([]);
}

describe("a key file", () => {
  it("is registered and audited on the first start, and matches at later starts", async () => {
    const keyring = newKeyring();
    const first = openVault(db, { keyring });
    await first.vault.checkKeys();
    expect(first.audited.map((entry) => entry.what)).toEqual(Array.from({ length: 4 }, () => "key_registered"));
    const before = await db.dump();
    const { card, cvc } = keyring.reread();
    expect(before["key"]?.map(({ id, purpose }) => `${purpose}: ${id}`)).toEqual([
      `card: ${card[0]?.id}`,
      `cvc: ${cvc[0]?.id}`,
      "fingerprint: fingerprint_live",
      "fingerprint: fingerprint_test",
    ]);
    const statements: string[] = [];
    const watched = { query: (sql: string, values?: unknown[]) => (statements.push(sql), db.query(sql, values)) };
    const second = openVault(watched, { keyring });
    await second.vault.checkKeys();
    expect(statements).toEqual([expect.stringMatching(/^select /)]);
    expect(second.audited).toEqual([]);
    expect(await db.dump()).toEqual(before);
  });

  it("of another installation is refused", async () => {
    await openVault(db).vault.checkKeys();
    await expectRefused(newKeyring().reread(), "does not belong to this database: its key card_");
  });

  it.each(["card", "cvc"] as const)("with a changed %s key under the same name is refused", async (purpose) => {
    const keyring = newKeyring();
    await openVault(db, { keyring }).vault.checkKeys();
    const keys = keyring.reread();
    const forged = keys[purpose].map(({ id }) => ({ id, secret: createSecretKey(Buffer.alloc(32, 7)) }));
    await expectRefused({ ...keys, [purpose]: forged }, "isn't the one used for this database");
  });

  it("with a changed fingerprint key is refused at startup", async () => {
    const keyring = newKeyring();
    await openVault(db, { keyring }).vault.checkKeys();
    const keys = keyring.reread();
    const before = await db.dump();
    const forged = withKeys({
      ...keys,
      fingerprint: { ...keys.fingerprint, live: createSecretKey(Buffer.alloc(32, 7)) },
    });
    await expect(openVault(db, { keyring: forged }).vault.checkKeys()).rejects.toThrow(
      "its key fingerprint_live isn't the one",
    );
    expect(await db.dump()).toEqual(before);
  });

  it("from before a rotation is refused, and one from after it matches", async () => {
    const keyring = newKeyring();
    const { vault, store } = openVault(db, { keyring });
    await vault.checkKeys();
    const before = keyring.reread();
    await store("pm_1");
    await rotateKeys({ db, keyring, now: () => new Date("2026-06-01T12:00:00Z") });
    await expectRefused(before, "does not belong to this database: its key card_");
    await openVault(db, { keyring: withKeys(keyring.reread()) }).vault.checkKeys();
  });

  it("is refused in one of two processes that first start with different files", async () => {
    const vaults = [openVault(db).vault, openVault(db).vault];
    const starts = await Promise.allSettled(vaults.map((vault) => vault.checkKeys()));
    expect(starts.map(({ status }) => status).sort()).toEqual(["fulfilled", "rejected"]);
    const again = await Promise.allSettled(vaults.map((vault) => vault.checkKeys()));
    expect(again.map(({ status }) => status)).toEqual(starts.map(({ status }) => status));
  });

  it("is compared five times before it's refused, because a rotation may be running", async () => {
    await openVault(db).vault.checkKeys();
    let readings = 0;
    const counted = { query: (sql: string, values?: unknown[]) => (readings++, db.query(sql, values)) };
    await expect(openVault(counted).vault.checkKeys()).rejects.toThrow("does not belong to this database");
    expect(readings).toBe(5);
  });

  it("causes an error if its new key can't be registered", async () => {
    const keyring = newKeyring();
    await openVault(db, { keyring }).vault.checkKeys();
    keyring.replace({ ...keyring.reread(), card: [...keyring.reread().card, newSealingKey("card")] });
    const full = {
      query: (sql: string, values?: unknown[]) =>
        sql.startsWith("insert") ? Promise.reject(new Error("The disk is full")) : db.query(sql, values),
    };
    const { vault, audited } = openVault(full, { keyring });
    await expect(vault.checkKeys()).rejects.toThrow("The disk is full");
    expect(audited).toEqual([]);
  });

  it("has check values that are the same in every version", () => {
    expect(checkValue("card_1", createSecretKey(Buffer.alloc(32, 1))).toString("hex")).toBe("60ff3ab1ebb4f0c8");
  });

  it("is registered once by concurrent processes", async () => {
    const keyring = newKeyring();
    const vaults = Array.from({ length: 4 }, () => openVault(db, { keyring }));
    await Promise.all(vaults.map(({ vault }) => vault.checkKeys()));
    expect((await db.dump())["key"]).toHaveLength(4);
    expect(vaults.flatMap(({ audited }) => audited)).toHaveLength(4);
  });

  it("is registered even if another process registers one of its keys at the same moment", async () => {
    const keyring = newKeyring();
    const [early] = keyring.reread().card;
    if (early === undefined) throw new Error("Bug: a new keyring has no card key");
    let isFirst = true;
    const racing = {
      async query(sql: string, values?: unknown[]) {
        if (isFirst && sql.startsWith("insert into vault.key")) {
          isFirst = false;
          const register =
            "insert into vault.key (id, purpose, check_value, registered_at) values ($1, 'card', $2, now())";
          await db.query(register, [early.id, checkValue(early.id, early.secret)]);
        }
        return await db.query(sql, values);
      },
    };
    const { vault, audited } = openVault(racing, { keyring });
    await vault.checkKeys();
    expect((await db.dump())["key"]).toHaveLength(4);
    expect(audited).toHaveLength(3); // the other process audits its own
  });

  it("reveals nothing of its keys in the database", async () => {
    const keyring = newKeyring();
    await openVault(db, { keyring }).vault.checkKeys();
    const { card, cvc, fingerprint } = keyring.reread();
    const text = JSON.stringify(await db.dump());
    for (const secret of [...card, ...cvc].map(({ secret }) => secret).concat(fingerprint.test, fingerprint.live)) {
      for (const encoding of ["hex", "base64"] as const) expect(text).not.toContain(secret.export().toString(encoding));
    }
    const lengths = (await db.dump())["key"]?.map(({ check_value }) => (check_value as Uint8Array).length); // a bytea
    expect(lengths).toEqual([8, 8, 8, 8]);
  });
});

describe("readDatabaseRole", () => {
  it("reports a superuser", async () => {
    expect(await readDatabaseRole(db)).toMatchObject({ isSuperuser: true, reachesVault: true });
  });
});
