/**
 * Someone with write access to the database changes stored records. They can't be decrypted, nothing of them is
 * returned, and an audit entry is written.
 */
import { beforeEach, describe, expect, it } from "vitest";
import { openForTests } from "../../../scripts/test/open-for-tests.ts";
import { newKeyring } from "../src/keys/keyring.ts";
import { SealBrokenError } from "../src/sealing/seal.ts";
import { openVault, openVaultDatabase, type Row, type VaultUnderTest } from "./open-vault.ts";

const db = await openForTests(openVaultDatabase());
let test: VaultUnderTest;
beforeEach(async () => {
  await db.empty();
  test = openVault(db);
  test.acquirer.reply = "silence"; // so that the CVCs aren't erased
  await test.store("pm_1", { accountNo: 1 });
  await test.store("pm_2", { accountNo: 2, number: "5555555555554444" });
  await test.store("pm_3", { accountNo: 1, mode: "live" });
});

const sealColumns = ["key_id", "wrapped_key", "sealed"];

/** Expects a refusal without a request to the acquirer, and an audit entry with the record's ID. */
async function expectRefused(
  id: string,
  purpose: "card" | "cvc",
  reason = "does_not_open",
  accountNo = 1,
): Promise<void> {
  test.audited.length = 0;
  test.received.length = 0;
  const error = await test.charge(id, accountNo).catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(SealBrokenError);
  expect(error).toMatchObject({ reason });
  const shown = JSON.stringify([String(error), error, test.audited, test.warnings]);
  // Four digits must be a word, because a key's ID is random and may contain any four.
  expect(shown).not.toMatch(/4242424242424242|5555555555554444|\b(4242|4444|9173|2030)\b/);
  const record = expect.objectContaining({ recordId: id, purpose }) as object;
  const requestedBy = reason === "other_account" ? { requestedBy: accountNo } : {};
  expect(test.audited).toEqual([
    { what: "seal_broken", reason, record, keyId: expect.any(String) as string, ...requestedBy },
  ]);
  expect(test.received).toEqual([]);
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
  it("can be opened if it's unchanged (control)", async () => {
    expect(await test.charge("pm_1")).toMatchObject({ number: "4242424242424242", cvc: "9173" });
  });

  it.each([
    ["another account's record", "pm_2"],
    ["the other mode's record", "pm_3"],
  ])("can't be opened if all or part of it was replaced with %s", async (_name, other) => {
    for (const columns of [sealColumns, ["sealed"], ["wrapped_key"]]) {
      const own = await columnsOf(purpose, "pm_1", sealColumns);
      await update(purpose, "pm_1", await columnsOf(purpose, other, columns));
      await expectRefused("pm_1", purpose);
      await update(purpose, "pm_1", own);
    }
    expect(await test.charge("pm_1")).toMatchObject({ cvc: "9173" });
  });

  it("can't be opened after a bit flip in any byte", async () => {
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

  it("can't be opened if a card was replaced with a CVC, or a CVC with a card", async () => {
    const columns = await columnsOf(purpose === "card" ? "cvc" : "card", "pm_1", sealColumns);
    await update(purpose, "pm_1", columns);
    await expectRefused("pm_1", purpose, "unknown_key"); // cards and CVCs have separate lists of keys
  });

  it("is reported as unknown_key if the file lacks its key", async () => {
    await update(purpose, "pm_1", { key_id: `${purpose}_elsewhere` });
    await expectRefused("pm_1", purpose, "unknown_key");
  });
});

describe("a record", () => {
  it("is read up to four times before its key counts as unknown, because a rotation may be running", async () => {
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

  it("can't be opened for another account", async () => {
    await expectRefused("pm_1", "card", "other_account", 2);
    expect(await test.charge("pm_1")).toMatchObject({ number: "4242424242424242" });
  });

  it("can't be opened for either account if its account was changed", async () => {
    await update("card", "pm_1", { account_no: 2 });
    await expectRefused("pm_1", "card", "does_not_open", 2);
    await expectRefused("pm_1", "card", "other_account", 1);
  });

  it("can't be retained for another account", async () => {
    await test.store("pm_5", { accountNo: 1, eraseAt: new Date(test.clock.now.getTime() + 1000) });
    expect(await test.vault.retain({ paymentMethodId: "pm_5", accountNo: 2 })).toBe(false);
    expect(await columnsOf("card", "pm_5", ["erase_at"])).not.toEqual({ erase_at: null });
    expect(await test.vault.retain({ paymentMethodId: "pm_5", accountNo: 1 })).toBe(true);
    expect(await columnsOf("card", "pm_5", ["erase_at"])).toEqual({ erase_at: null });
  });

  it("can't be opened in either mode if its mode was changed", async () => {
    await update("card", "pm_1", { mode: "live" });
    await expectRefused("pm_1", "card", "other_mode");
    await expect(test.chargeLive("pm_1")).rejects.toThrow(SealBrokenError);
    expect(test.audited.at(-1)).toMatchObject({ what: "seal_broken", reason: "does_not_open" });
    expect(test.receivedLive).toEqual([]);
  });

  it("can't be opened under another ID", async () => {
    await db.query("delete from vault.cvc");
    await db.query("update vault.card set payment_method_id = 'pm_4' where payment_method_id = 'pm_1'");
    await expectRefused("pm_4", "card");
  });

  it("can't be opened with another key file", async () => {
    const keyring = newKeyring();
    const { keys, reread } = openVault(db, { keyring }).keyring;
    expect(keys(new Date(0))).toEqual(reread());
    test = openVault(db, { keyring });
    await expectRefused("pm_1", "card", "unknown_key");
  });
});
