/** The vault with concurrent connections, killed processes and separate roles. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { afterAll, describe, expect, it } from "vitest";
import { temporaryDirectory } from "../../../scripts/test/temporary-directory.ts";
import { openCredentials } from "../src/acquirer-accounts/credentials-store.ts";
import { readDatabaseRole } from "../src/database-role.ts";
import { openKeyring, readKeyring } from "../src/keys/keyring.ts";
import { rotateKeys } from "../src/keys/rotate-keys.ts";
import type { VaultAuditEntry } from "../src/vault-audit.ts";
import { createVaultDatabase } from "./create-database.ts";
import { openVault, visa } from "./open-vault.ts";

const directory = temporaryDirectory(afterAll);
const database = await createVaultDatabase();
afterAll(() => database.drop());
const { pool } = database;

describe("a rotation under load", () => {
  it("keeps every card and all credentials readable while rotating processes are killed, and ends with one key", async () => {
    const keyFile = join(directory, "vault.keys.json");
    // Each of these stands for a process.
    const vaults = Array.from({ length: 3 }, () => openVault(pool, { keyring: openKeyring(keyFile) }));
    const ids: string[] = [];
    const load = { hasEnded: false };
    const workers = vaults.map(async ({ store, charge, vault, keyring, clock }, process) => {
      const account = { id: `aa_${process}`, accountNo: process, mode: "test", connector: "adyen" } as const;
      const audit = (entry: VaultAuditEntry) => expect(entry.what).not.toBe("seal_broken");
      for (let i = 0; !load.hasEnded; i++) {
        const id = `pm_${process}_${i}`;
        expect(await store(id)).toMatchObject({ ok: true });
        ids.push(id);
        const any = ids[Math.floor(Math.random() * ids.length)] ?? id;
        expect(await charge(any)).toMatchObject({ number: visa });
        const credentials = { api_key: `the-key-${id}`, hmac_keys: ["ab".repeat(32)] };
        const version = await vault.storeCredentials(account, credentials);
        const owner = { ...account, acquirerAccountId: account.id, version };
        expect(await openCredentials(pool, keyring, owner, clock.now, audit)).toEqual(credentials);
        await pause(5); // as much load as a vault gets, without taking a core from other tests
      }
    });
    const working = Promise.all(workers);
    working.catch(() => (load.hasEnded = true));
    for (let i = 0; i < 8 && !load.hasEnded; i++)
      await rotateAndBeKilled(keyFile, 150 + Math.floor(Math.random() * 250));
    await pool.query("delete from vault.key_file_lease"); // as if the lease of the last killed process had expired
    await rotateKeys({ db: pool, keyring: readKeyring(keyFile), now: () => new Date() });
    load.hasEnded = true;
    await working;
    const last = await rotateKeys({ db: pool, keyring: readKeyring(keyFile), now: () => new Date() });

    expect(last.brokenRecordIds).toEqual([]);
    expect(
      openKeyring(keyFile)
        .reread()
        .card.map(({ id }) => id),
    ).toEqual([last.currentKeyId]);
    for (const table of ["card", "credentials"]) {
      const { rows } = await pool.query(`select distinct key_id from vault.${table}`);
      expect(rows).toEqual([{ key_id: last.currentKeyId }]);
    }
    expect(ids.length).toBeGreaterThan(50);
    const retired = await pool.query("select 1 from vault.key where purpose = 'card' and retired_at is not null");
    expect(retired.rows.length).toBeGreaterThan(2);
    const { vault, charge, audited } = openVault(pool, { keyring: openKeyring(keyFile) });
    for (const id of ids) {
      expect(await charge(id)).toMatchObject({ number: visa });
      await vault.eraseCvc(id);
    }
    expect(
      [...vaults.map((vault) => vault.audited), audited].flat().filter(({ what }) => what === "seal_broken"),
    ).toEqual([]);
  }, 120_000);

  /** Rotates repeatedly in another process, which is killed after this many milliseconds. */
  async function rotateAndBeKilled(keyFile: string, afterMs: number): Promise<void> {
    const script = `
      import pg from "pg";
      import { readKeyring, rotateKeys } from ${JSON.stringify(new URL("../src/index.ts", import.meta.url).href)};
      const [url, keyFile] = process.argv.slice(1);
      const db = new pg.Pool({ connectionString: url });
      await db.query("delete from vault.key_file_lease");
      process.stdout.write("rotating");
      for (;;) await rotateKeys({ db, keyring: readKeyring(keyFile), now: () => new Date() });`;
    const args = ["--disable-warning=ExperimentalWarning", "--input-type=module", "-e", script, database.url, keyFile];
    const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"] });
    const exited = once(child, "exit");
    await Promise.race([once(child.stdout, "data"), exited]);
    await pause(afterMs);
    expect(child.exitCode).toBeNull(); // it didn't fail before it was killed
    child.kill("SIGKILL");
    await exited;
  }
});

describe("database roles", () => {
  it("keep the vault and the service out of each other's tables, and are reported correctly", async () => {
    const { name, connect } = database;
    const open = (role: string) => connect(`${name}_${role}`, "a-password");
    await pool.query(`
      create table attempt (id text primary key);
      create role ${name}_app login password 'a-password' nosuperuser;
      create role ${name}_vault login password 'a-password' nosuperuser;
      create role ${name}_sly login password 'a-password' nosuperuser noinherit in role ${name}_vault;
      grant select, insert, update, delete on attempt to ${name}_app;
      grant usage on schema vault to ${name}_vault;
      grant select, insert, update, delete on all tables in schema vault to ${name}_vault;`);
    const [app, vault, sly] = [open("app"), open("vault"), open("sly")];
    try {
      expect(await readDatabaseRole(pool)).toMatchObject({
        isSuperuser: true,
        reachesVault: true,
        reachesService: true,
      });
      const none = { isSuperuser: false, reachesVault: false, reachesService: false };
      expect(await readDatabaseRole(app)).toEqual({ ...none, role: `${name}_app`, reachesService: true });
      expect(await readDatabaseRole(vault)).toEqual({ ...none, role: `${name}_vault`, reachesVault: true });
      expect(await readDatabaseRole(sly)).toMatchObject({ reachesVault: true }); // it can become the other role
      await expect(app.query("select * from vault.credentials")).rejects.toThrow("permission denied for schema vault");
      await expect(app.query("select * from vault.card")).rejects.toThrow("permission denied for schema vault");
      await expect(vault.query("select * from attempt")).rejects.toThrow("permission denied for table attempt");

      // The vault's own role is enough for all its work.
      const keyFile = join(directory, "vault.keys.json");
      const test = openVault(vault, { keyring: openKeyring(keyFile) });
      await test.vault.checkKeys();
      expect(await test.store("pm_role")).toMatchObject({ ok: true });
      expect(await test.vault.retain({ paymentMethodId: "pm_role", accountNo: 1 })).toBe(true);
      expect(await test.charge("pm_role")).toMatchObject({ number: visa, cvc: "9173" });
      const account = { id: "aa_1", accountNo: 1, mode: "test", connector: "adyen" } as const;
      const credentials = { api_key: "the-key-of-adyen", hmac_keys: ["ab".repeat(32)] };
      const version = await test.vault.storeCredentials(account, credentials);
      const owner = { ...account, acquirerAccountId: account.id, version };
      await rotateKeys({ db: vault, keyring: readKeyring(keyFile), now: () => new Date() });
      expect(await openCredentials(vault, readKeyring(keyFile), owner, new Date(), () => {})).toEqual(credentials);
      await test.vault.eraseCredentials(account.id, version);
      expect(await openCredentials(vault, readKeyring(keyFile), owner, new Date(), () => {})).toBeNull();
      await test.vault.eraseCvc("pm_role");
      await test.vault.sweep();
      expect(readKeyring(keyFile).reread().cvc).toHaveLength(1); // the old key is destroyed
      await test.vault.erase(["pm_role"]);
      expect(test.warnings).toEqual([]);
    } finally {
      await Promise.all([app.end(), vault.end(), sly.end()]);
      await pool.query(`drop owned by ${name}_app, ${name}_vault, ${name}_sly`);
      await pool.query(`drop role ${name}_sly, ${name}_app, ${name}_vault`);
    }
  });
});
