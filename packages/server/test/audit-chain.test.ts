/**
 * Tests the audit log as a hash chain: what the database fills in, and which changes verification finds after someone
 * with full database access has tampered with the log.
 */
import { sql } from "kysely";
import { afterAll, beforeEach, describe, expect, it } from "vitest";
import { closersFor } from "../../../scripts/test/closers-for.ts";
import { openForTests } from "../../../scripts/test/open-for-tests.ts";
import { createAccount } from "../src/merchants/accounts/accounts.ts";
import { createApiKey } from "../src/merchants/accounts/api-keys.ts";
import { recordAudit } from "../src/merchants/audit/audit-log.ts";
import { readHead, verifyChain, writeHead, type ChainHead } from "../src/merchants/audit/verify-chain.ts";
import { openDatabase } from "../src/platform/storage/database.ts";
import { migrate } from "../src/platform/storage/migrate.ts";
import { storedFunctions } from "../src/stored-functions.ts";
import { freshDatabase } from "./setup/test-service.ts";

const closers = closersFor(afterAll);
const database = await openForTests(openDatabase(await freshDatabase(closers)));
const db = database.db;
await migrate(database, storedFunctions);
beforeEach(async () => {
  await tamper("delete from audit_log", `update audit_head set sequence = 0, hash = decode(repeat('00', 32), 'hex')`);
});

/** Runs with full database rights, so no trigger fires. */
async function tamper(...statements: string[]): Promise<void> {
  await db.transaction().execute(async (tx) => {
    await sql`set local session_replication_role = replica`.execute(tx);
    for (const statement of statements) await sql.raw(statement).execute(tx);
  });
}

/** An account that the entries can be about. It's inserted directly, so that the log is empty. */
async function anAccount(): Promise<number> {
  const account = { account_no: 1, id: "acct_one", name: "One", created_at: new Date() };
  await db
    .insertInto("account")
    .values(account)
    .onConflict((conflict) => conflict.doNothing())
    .execute();
  return account.account_no;
}

const details = { name: "Ürün 🧾, 7:x", livemode: false, count: 3, nothing: null };

async function write(rows: number): Promise<void> {
  const accountNo = await anAccount();
  for (let row = 1; row <= rows; row++) {
    const subject = row % 2 === 0 ? { accountNo, objectId: `key_${row}`, details } : {};
    await recordAudit(
      db,
      { actor: "cli ann", action: "api_key.created", ...subject },
      new Date(1_800_000_000_123 + row),
    );
  }
}

async function rows() {
  return await db.selectFrom("audit_log").selectAll().orderBy("sequence").execute();
}

async function headNow(): Promise<ChainHead> {
  const verdict = await verifyChain(db);
  if (!verdict.isIntact) throw new Error(verdict.fault.what);
  return verdict.head;
}

async function faultNow(noted: ChainHead | null = null) {
  const verdict = await verifyChain(db, noted);
  return verdict.isIntact ? null : verdict.fault;
}

describe("an audit log row", () => {
  it("stores its number, its hash and the previous row's hash, and becomes the head", async () => {
    await write(5);
    const written = await rows();
    expect(written.map(({ sequence }) => sequence)).toEqual([1, 2, 3, 4, 5]);
    expect(written.map(({ previous_hash }) => previous_hash).slice(1)).toEqual(
      written.map(({ hash }) => hash).slice(0, -1),
    );
    expect(written[0]?.previous_hash).toEqual(Buffer.alloc(32));
    expect(new Set(written.map(({ hash }) => hash.toString("hex"))).size).toBe(5);
    expect(await headNow()).toEqual({ sequence: 5, hash: written[4]?.hash.toString("hex") });
  });

  it("takes the values the database generates, whatever the writer sends", async () => {
    await write(1);
    await sql`insert into audit_log (id, actor, action, outcome, details, created_at, sequence, previous_hash, hash)
              values ('aud_chosen', 'x', 'y', 'done', '{}', now(), 900, 'a', 'b')`.execute(db);
    expect((await headNow()).sequence).toBe(2);
  });

  it("can't be changed, nor can the head, by a role that may not drop the triggers", async () => {
    await write(2);
    for (const statement of [
      "update audit_log set actor = 'x'",
      "delete from audit_log",
      "truncate audit_log",
      "update audit_head set sequence = 0",
      "delete from audit_head",
      "truncate audit_head",
    ]) {
      await expect(sql.raw(statement).execute(db)).rejects.toThrow("only ever added to");
    }
    expect((await headNow()).sequence).toBe(2);
  });

  it("isn't written when its transaction fails, and leaves no gap", async () => {
    await write(1);
    const failing = db.transaction().execute(async (tx) => {
      await recordAudit(tx, { actor: "service", action: "account.created" }, new Date());
      throw new Error("Refused");
    });
    await expect(failing).rejects.toThrow("Refused");
    await write(1);
    expect((await headNow()).sequence).toBe(2);
  });

  it("is written last in its transaction, so other statements don't wait for its lock", async () => {
    const seen = await db.transaction().execute(async (tx) => {
      await recordAudit(tx, { actor: "service", action: "account.created" }, new Date());
      return await tx.selectFrom("audit_log").select("id").execute();
    });
    expect(seen).toEqual([]);
    expect((await headNow()).sequence).toBe(1);
  });
});

it("leaves no gap and no fork after twenty concurrent audited changes", async () => {
  const now = new Date();
  const { accountNo } = await createAccount(db, "Kiln Street", now);
  const tenant = { accountNo, livemode: false };
  await Promise.all(
    Array.from({ length: 20 }, async (_, n) =>
      n % 4 === 0 ? await createAccount(db, "Another shop", now) : await createApiKey(db, tenant, now),
    ),
  );
  expect((await rows()).map(({ sequence }) => sequence)).toEqual(Array.from({ length: 21 }, (_, n) => n + 1));
  expect((await headNow()).sequence).toBe(21);
});

it("verifies an empty log", async () => {
  expect(await headNow()).toEqual({ sequence: 0, hash: "0".repeat(64) });
});

it("verifies a log longer than one batch and finds an error deep inside it", async () => {
  const entry = { account_id: null, object_id: null, actor: "x", action: "y", outcome: "done" as const, details: "{}" };
  const many = Array.from({ length: 2001 }, (_, n) => ({ ...entry, id: `aud_${n}`, created_at: new Date() }));
  await db.insertInto("audit_log").values(many).execute();
  expect((await headNow()).sequence).toBe(2001);
  await tamper("update audit_log set actor = 'z' where sequence = 1999");
  expect(await faultNow()).toMatchObject({ how: "changed", what: expect.stringContaining("Row 1999 ") });
});

describe("the first mismatched row", () => {
  beforeEach(() => write(6));

  it.each([
    ["actor", "'cli bob'"],
    ["action", "'api_key.revoked'"],
    ["outcome", "'refused'"],
    ["account_id", "'acct_two'"],
    ["account_id", "null"],
    ["object_id", "''"],
    ["details", `jsonb_set(details, '{count}', '4')`],
    ["created_at", "created_at + interval '1 microsecond'"],
    ["created_at", "'infinity'"],
    ["id", "'aud_other'"],
    ["hash", "sha256('x')"],
    ["previous_hash", "sha256('x')"],
  ])("is found when a row's %s was changed to %s", async (column, value) => {
    await tamper(`update audit_log set ${column} = ${value} where sequence = 4`);
    expect(await faultNow()).toMatchObject({ how: "changed", what: expect.stringContaining("Row 4 ") });
  });

  it("is found when text was moved from one column to another", async () => {
    await tamper(`update audit_log set actor = 'cli anna', action = 'pi_key.created' where sequence = 3`);
    expect(await faultNow()).toMatchObject({ how: "changed", what: expect.stringContaining("Row 3 ") });
  });

  it("is found when a row was changed and given the matching hash", async () => {
    await tamper(
      "update audit_log set actor = 'cli bob' where sequence = 4",
      "update audit_log log set hash = audit_hash(log) where sequence = 4",
    );
    expect(await faultNow()).toMatchObject({ how: "changed", what: expect.stringContaining("Row 5 ") });
  });

  it("is found when a row was removed", async () => {
    await tamper("delete from audit_log where sequence = 3");
    expect(await faultNow()).toMatchObject({
      how: "removed",
      what: expect.stringMatching(/^Row 3 was removed: .* row 4 /),
    });
  });

  it("is found when several rows were removed", async () => {
    await tamper("delete from audit_log where sequence in (1, 2)");
    expect(await faultNow()).toMatchObject({
      how: "removed",
      what: expect.stringMatching(/^Rows 1 to 2 were removed/),
    });
  });

  it("is found when a row was removed and all later rows except the head were renumbered and rehashed", async () => {
    await tamper(
      "delete from audit_log where sequence = 3",
      "update audit_log set sequence = sequence - 1 where sequence > 3",
      rehash,
    );
    expect(await faultNow()).toMatchObject({ how: "removed", what: expect.stringContaining("the head is 6") });
  });

  const copyOf = (sequence: number, given: string) =>
    `insert into audit_log (id, actor, action, outcome, details, created_at, sequence, previous_hash, hash)
     select 'aud_inserted', actor, action, outcome, details, created_at, ${given}, previous_hash, hash
       from audit_log where sequence = ${sequence}`;

  it.each(["0", "-1", "-9223372036854775808"])(
    "is found when a row was inserted before the first as number %s",
    async (sequence) => {
      await tamper(copyOf(1, sequence), "update audit_log log set hash = audit_hash(log) where id = 'aud_inserted'");
      expect(await faultNow()).toMatchObject({ how: "inserted", rowId: "aud_inserted" });
    },
  );

  it("is found when a row was inserted far after the head", async () => {
    await tamper(copyOf(6, "9223372036854775807"));
    expect(await faultNow()).toMatchObject({
      how: "removed",
      rowId: "aud_inserted",
      what: expect.stringMatching(/^Rows 7 to 9/),
    });
  });

  it("is found when a matching row was inserted after the head", async () => {
    await tamper(
      copyOf(6, "7"),
      "update audit_log set previous_hash = (select hash from audit_head) where sequence = 7",
      "update audit_log log set hash = audit_hash(log) where sequence = 7",
    );
    expect(await faultNow()).toMatchObject({ how: "inserted", what: expect.stringContaining("after the head") });
  });

  it("is found when rows were inserted with a duplicate number or without one", async () => {
    await tamper("alter table audit_log drop constraint audit_log_sequence_key", copyOf(2, "4"));
    try {
      expect(await faultNow()).toMatchObject({
        how: expect.stringMatching(/inserted|changed/),
        what: expect.stringContaining("Row 4 "),
      });
      await tamper("delete from audit_log where id = 'aud_inserted'");
      expect(await faultNow()).toBeNull();
      await tamper("alter table audit_log alter column sequence drop not null", copyOf(2, "null"));
      expect(await faultNow()).toMatchObject({ how: "inserted" });
    } finally {
      await tamper(
        "delete from audit_log where id = 'aud_inserted'",
        "alter table audit_log alter column sequence set not null, add constraint audit_log_sequence_key unique (sequence)",
      );
    }
  });

  it("is found when the last rows were removed but the head was kept", async () => {
    await tamper("delete from audit_log where sequence > 4");
    expect(await faultNow()).toMatchObject({ how: "removed", what: expect.stringContaining("removed from the end") });
  });

  it("is found when the head has a different hash", async () => {
    await tamper("update audit_head set hash = sha256('x')");
    expect(await faultNow()).toMatchObject({ how: "head_differs" });
  });
});

/** Recomputes every hash from the first row on, as an attacker who rewrites the whole chain would. */
const rehash = `do $$
  declare
    entry audit_log;
    before bytea := decode(repeat('00', 32), 'hex');
  begin
    for entry in select * from audit_log order by sequence loop
      entry.previous_hash := before;
      before := audit_hash(entry);
      update audit_log set previous_hash = entry.previous_hash, hash = before where id = entry.id;
    end loop;
  end
  $$`;
const headToLast =
  "update audit_head set (sequence, hash) = (select sequence, hash from audit_log order by sequence desc limit 1)";

describe("verification against a saved head", () => {
  beforeEach(() => write(6));

  it("accepts a log that continues from the saved head", async () => {
    const noted = await headNow();
    expect(await faultNow(noted)).toBeNull();
    await write(3);
    expect(await faultNow(noted)).toBeNull();
    expect(await faultNow({ sequence: 0, hash: "0".repeat(64) })).toBeNull();
  });

  it("detects that the last rows were removed and the head was reset, which needs the saved head", async () => {
    const noted = await headNow();
    await tamper("delete from audit_log where sequence > 4", headToLast);
    expect(await faultNow()).toBeNull();
    expect(await faultNow(noted)).toMatchObject({
      how: "removed",
      what: expect.stringContaining("the expected head is row 6"),
    });
    await write(4); // more rows than the noted head had
    expect(await faultNow(noted)).toMatchObject({ how: "head_differs", what: expect.stringContaining("Row 6 ") });
  });

  it("detects that the whole chain was rewritten, which needs the saved head", async () => {
    const noted = await headNow();
    await tamper("update audit_log set actor = 'cli bob' where sequence = 2", rehash, headToLast);
    expect(await faultNow()).toBeNull();
    expect(await faultNow(noted)).toMatchObject({ how: "head_differs" });
  });

  it("accepts the head exactly as printed and nothing else", async () => {
    const noted = await headNow();
    expect(readHead(writeHead(noted))).toEqual(noted);
    for (const text of [
      "",
      "6",
      "6:",
      `6:${noted.hash}0`,
      `06:${noted.hash}`,
      `-6:${noted.hash}`,
      noted.hash,
      `6:${noted.hash.toUpperCase()} `,
    ])
      expect({ text, head: readHead(text) }).toEqual({ text, head: null });
  });
});
