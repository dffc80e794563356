/**
 * Somebody who can write to the database changes what the vault has stored. It does not open, nothing of it is
 * returned, and it is audited.
 */
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { newKeyring } from "../src/keyring.ts";
import { SealBrokenError } from "../src/seal.ts";
import {
  openVault,
  openVaultDatabase,
  type Row,
  type VaultDatabaseUnderTest,
  type VaultUnderTest,
} from "./open-vault.ts";

/** A database takes its time where the machine has other things to do. */
vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 });

let db: VaultDatabaseUnderTest;
let test: VaultUnderTest;
beforeAll(async () => void (db = await openVaultDatabase()));
beforeEach(async () => {
  await db.empty();
  test = openVault(db);
  test.bank.answer = "silence"; // so that the codes stay
  await test.store("pm_1", { accountId: "acct_1" });
  await test.store("pm_2", { accountId: "acct_2", number: "5555555555554444" });
  await test.store("pm_3", { accountId: "acct_1", mode: "live" });
});
afterAll(() => db.close());

const sealColumns = ["key_id", "wrapped_key", "sealed"];

/** Refused without a word to the bank, and audited with the record's name. */
async function expectRefused(
  id: string,
  purpose: "card" | "cvc",
  reason = "does_not_open",
  accountId = "acct_1",
): Promise<void> {
  test.audited.length = 0;
  test.asked.length = 0;
  const error = await test.charge(id, accountId).catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(SealBrokenError);
  expect(error).toMatchObject({ reason });
  const told = JSON.stringify([String(error), error, test.audited, test.warnings]);
  for (const secret of ["4242", "4444", "9173", "2030"]) expect(told).not.toContain(secret);
  const record = expect.objectContaining({ recordId: id, purpose }) as object;
  const askedBy = reason === "other_account" ? { askedBy: accountId } : {};
  expect(test.audited).toEqual([
    { what: "seal_broken", reason, record, keyId: expect.any(String) as string, ...askedBy },
  ]);
  expect(test.asked).toEqual([]);
}

async function update(table: string, id: string, columns: Row): Promise<void> {
  const names = Object.keys(columns);
  const set = names.map((name, i) => `${name} = $${i + 2}`).join(", ");
  await db.query(`update vault.${table} set ${set} where payment_method_id = $1`, [id, ...Object.values(columns)]);
}

async function columnsOf(table: string, id: string, names: readonly string[]): Promise<Row> {
  const { rows } = await db.query(`select ${names.join(", ")} from vault.${table} where payment_method_id = $1`, [id]);
  return rows[0] ?? {};
}

describe.each(["card", "cvc"] as const)("a %s", (purpose) => {
  it("untouched opens (control)", async () => {
    expect(await test.charge("pm_1")).toMatchObject({ number: "4242424242424242", cvc: "9173" });
  });

  it.each([
    ["another account's record", "pm_2"],
    ["the other mode's record", "pm_3"],
  ])("does not open as %s, whole or in parts", async (_name, other) => {
    for (const columns of [sealColumns, ["sealed"], ["wrapped_key"]]) {
      const own = await columnsOf(purpose, "pm_1", sealColumns);
      await update(purpose, "pm_1", await columnsOf(purpose, other, columns));
      await expectRefused("pm_1", purpose);
      await update(purpose, "pm_1", own);
    }
    expect(await test.charge("pm_1")).toMatchObject({ cvc: "9173" });
  });

  it("does not open after one bit was changed in any of its bytes", async () => {
    for (const column of ["wrapped_key", "sealed"]) {
      const own = await columnsOf(purpose, "pm_1", [column]);
      const bytes = Buffer.from(own[column] as Uint8Array); // both columns are bytea
      for (let i = 0; i < bytes.length; i += 5) {
        const changed = Buffer.from(bytes);
        changed[i] = (changed[i] ?? 0) ^ 0x80;
        await update(purpose, "pm_1", { [column]: changed });
        await expectRefused("pm_1", purpose);
      }
      await update(purpose, "pm_1", own);
    }
  });

  it("does not open as the other of card and code", async () => {
    const columns = await columnsOf(purpose === "card" ? "cvc" : "card", "pm_1", sealColumns);
    await update(purpose, "pm_1", columns);
    await expectRefused("pm_1", purpose, "unknown_key"); // their keys have nothing in common, not even the list
  });

  it("under a key that the file does not have is refused, and says so", async () => {
    await update(purpose, "pm_1", { key_id: `${purpose}_elsewhere` });
    await expectRefused("pm_1", purpose, "unknown_key");
  });
});

describe("a record", () => {
  it("is read once, and four times before its key counts as unknown: a rotation may be changing it", async () => {
    let readings = 0;
    const counted = {
      query: (sql: string, values?: unknown[]) => {
        if (sql.includes("left join vault.cvc")) readings++;
        return db.query(sql, values);
      },
    };
    const { charge } = openVault(counted, { keyring: test.keyring });
    await charge("pm_1");
    expect(readings).toBe(1);
    await update("card", "pm_1", { key_id: "card_elsewhere" });
    readings = 0;
    await expect(charge("pm_1")).rejects.toThrow(SealBrokenError);
    expect(readings).toBe(4);
  });

  it("does not open for another account", async () => {
    await expectRefused("pm_1", "card", "other_account", "acct_2");
    expect(await test.charge("pm_1")).toMatchObject({ number: "4242424242424242" });
  });

  it("does not open after its account was changed, neither for that account nor for its own", async () => {
    await update("card", "pm_1", { account_id: "acct_2" });
    await expectRefused("pm_1", "card", "does_not_open", "acct_2");
    await expectRefused("pm_1", "card", "other_account", "acct_1");
  });

  it("is not kept for another account", async () => {
    await test.store("pm_5", { accountId: "acct_1", keepUntil: new Date(test.clock.now.getTime() + 1000) });
    expect(await test.vault.keep({ paymentMethodId: "pm_5", accountId: "acct_2" })).toBe(false);
    expect(await columnsOf("card", "pm_5", ["keep_until"])).not.toEqual({ keep_until: null });
    expect(await test.vault.keep({ paymentMethodId: "pm_5", accountId: "acct_1" })).toBe(true);
    expect(await columnsOf("card", "pm_5", ["keep_until"])).toEqual({ keep_until: null });
  });

  it("opens in neither mode after its mode was changed", async () => {
    await update("card", "pm_1", { mode: "live" });
    await expectRefused("pm_1", "card", "other_mode");
    await expect(test.chargeLive("pm_1")).rejects.toThrow(SealBrokenError);
    expect(test.audited.at(-1)).toMatchObject({ what: "seal_broken", reason: "does_not_open" });
    expect(test.askedLive).toEqual([]);
  });

  it("does not open under another one's id", async () => {
    await db.query("delete from vault.cvc");
    await db.query("update vault.card set payment_method_id = 'pm_4' where payment_method_id = 'pm_1'");
    await expectRefused("pm_4", "card");
  });

  it("does not open with another key file", async () => {
    const keyring = newKeyring();
    const { keys, reread } = openVault(db, { keyring }).keyring;
    expect(keys(new Date(0))).toEqual(reread());
    test = openVault(db, { keyring });
    await expectRefused("pm_1", "card", "unknown_key");
  });
});
