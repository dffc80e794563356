/**
 * Tests the database layer: the same statements return the same JavaScript values on PGlite and PostgreSQL (this file
 * runs on both with the same expectations), and a client behaves like one of `pg` where the service relies on it.
 */
import { sql } from "kysely";
import { afterAll, describe, expect, it } from "vitest";
import { closersFor } from "../../../scripts/test/closers-for.ts";
import { openForTests } from "../../../scripts/test/open-for-tests.ts";
import { openDatabase } from "../src/platform/storage/database.ts";
import { migrate, pendingChanges } from "../src/platform/storage/migrate.ts";
import { storedFunction } from "../src/platform/storage/stored-function.ts";
import { storedFunctions } from "../src/stored-functions.ts";
import { openDatabaseProxy } from "./setup/database-proxy.ts";
import { freshDatabase } from "./setup/test-service.ts";

const closers = closersFor(afterAll);
const database = await openForTests(openDatabase(await freshDatabase(closers)));

const query = async (text: string, values?: unknown[]) => (await database.pool.query(text, values)).rows;

describe("a value", () => {
  it.each<[string, unknown]>([
    ["true", true],
    ["null::text", null],
    ["7::smallint", 7],
    ["2147483647::integer", 2_147_483_647],
    ["999999999999::bigint", 999_999_999_999],
    ["count(*)", 1],
    ["sum(5::bigint)", "5"],
    ["12.50::numeric", "12.50"],
    ["0.5::double precision", 0.5],
    ["'ünï 🎈'::text", "ünï 🎈"],
    ["'x'::varchar(3)", "x"],
    ["'\\x00ff10'::bytea", Buffer.from([0, 255, 16])],
    ["'2026-06-01T12:00:00.123Z'::timestamptz", new Date("2026-06-01T12:00:00.123Z")],
    ['\'{"a":[1,null,"x"]}\'::jsonb', { a: [1, null, "x"] }],
    ["'null'::jsonb", null],
    ["array['a','b,c','\"d\"','']", ["a", "b,c", '"d"', ""]],
    ["'{}'::text[]", []],
    ["array[1,null,3]", [1, null, 3]],
    ["'e7c5b8f6-55a1-4f0e-9c7b-0a0a0a0a0a0a'::uuid", "e7c5b8f6-55a1-4f0e-9c7b-0a0a0a0a0a0a"],
  ])("is the same on both databases: %s", async (expression, expected) => {
    const [row] = await query(`select ${expression} as value`);
    expect(row?.["value"]).toEqual(expected);
    expect(row?.["value"]?.constructor).toBe((expected as object | null)?.constructor);
  });

  it.each<[string, unknown]>([
    ["text", "a'b\"c\\d"],
    ["text", null],
    ["boolean", false],
    ["bigint", 999_999_999_999],
    ["bytea", Buffer.from([0, 1, 254, 255])],
    ["timestamptz", new Date("2026-12-31T23:59:59.999Z")],
    ["text[]", ["a", "b,c", '"d"', "", "\\"]],
    ["jsonb", { nested: { a: [1, 2] } }],
  ])("of type %s is returned as it was sent: %j", async (type, value) => {
    const [row] = await query(`select $1::${type} as value`, [value]);
    expect(row?.["value"]).toEqual(value);
  });

  it("is sent in the same form, whatever the type of its parameter", async () => {
    expect(await query("select $1::text as value", [{ a: [1] }])).toEqual([{ value: '{"a":[1]}' }]);
    // PGlite by itself would send it as JSON, which would hide that PostgreSQL refuses the statement.
    await expect(query("select $1::jsonb as value", [["a"]])).rejects.toMatchObject({ code: "22P02" });
  });

  it("fails the query, instead of being rounded, if JavaScript can't represent it", async () => {
    await expect(query("select 9007199254740993::bigint as value")).rejects.toThrow("JavaScript can't represent");
  });
});

describe("a client", () => {
  it("runs several statements at once, in order", async () => {
    await query(
      "create table several (n integer); insert into several values (1), (2); update several set n = n * 10; delete from several where n = 20",
    );
    expect(await query("select n from several")).toEqual([{ n: 10 }]);
    await query("drop table several");
  });

  it("returns how many rows were changed", async () => {
    await migrate(database, storedFunctions);
    const insert = (id: string) =>
      database.db.insertInto("account").values({ account_no: Number(id.at(-1)), id, name: id, created_at: new Date() });
    expect((await insert("acct_1").executeTakeFirst()).numInsertedOrUpdatedRows).toBe(1n);
    await insert("acct_2").execute();
    const renamed = await database.db.updateTable("account").set({ name: "x" }).executeTakeFirst();
    expect(renamed.numUpdatedRows).toBe(2n);
    const none = await database.db
      .updateTable("account")
      .set({ name: "x" })
      .where("id", "=", "none")
      .executeTakeFirst();
    expect(none.numUpdatedRows).toBe(0n);
  });

  it("reports errors by PostgreSQL's code, and gives the next query its own result", async () => {
    await expect(query("select * from nothing")).rejects.toMatchObject({ code: "42P01" });
    await expect(query("select 1 / $1::integer", [0])).rejects.toMatchObject({ code: "22012" });
    await expect(query("selec")).rejects.toMatchObject({ code: "42601" });
    const responses = await Promise.all([
      query("select 1 as n"),
      query("select 1 / 0").catch(() => "failed"),
      query("select 2 as n"),
      query("select $1::text as n", ["three"]),
    ]);
    expect(responses).toEqual([[{ n: 1 }], "failed", [{ n: 2 }], [{ n: "three" }]]);
  });

  it("keeps a transaction isolated while others run queries", async () => {
    const { db } = database;
    const insert = (id: string) => sql`insert into account (account_no, id, name, created_at)
      values (hashtext(${id}), ${id}, '', now())`;
    const transaction = db.transaction().execute(async (tx) => {
      await insert("acct_in").execute(tx);
      await new Promise((resolve) => setTimeout(resolve, 50));
      await insert("acct_in").execute(tx); // the same ID again, which fails and rolls the first insert back
    });
    const meanwhile = insert("acct_beside").execute(db);
    await expect(transaction).rejects.toMatchObject({ code: "23505" });
    await meanwhile;
    const { rows } = await sql<{ id: string }>`select id from account where id in ('acct_in', 'acct_beside')`.execute(
      db,
    );
    expect(rows).toEqual([{ id: "acct_beside" }]);
  });

  it("is returned to the pool after failed transactions, however many there are", async () => {
    for (let i = 0; i < 30; i++) {
      const failing = database.db.transaction().execute((tx) => sql`select 1 / 0`.execute(tx));
      await expect(failing).rejects.toMatchObject({ code: "22012" });
    }
    expect(await query("select 1 as n")).toEqual([{ n: 1 }]);
  });
});

describe("the migrations", () => {
  it("run once, however many processes start at the same moment", async () => {
    await Promise.all([
      migrate(database, storedFunctions),
      migrate(database, storedFunctions),
      migrate(database, storedFunctions),
    ]);
    const { rows } = await sql<{ name: string }>`select name from kysely_migration order by name`.execute(database.db);
    const names = rows.map(({ name }) => name);
    expect(names).toEqual([
      "0001_first",
      "0001_vault",
      "0002_card_testing",
      "0002_credentials",
      "0003_acquirer_details",
      "0003_credentials_of_acquirer_accounts",
      "0004_acquirer_accounts",
      "0005_plain_ledger_trigger",
      "0006_late_successes",
      "0007_every_attempt_in_ledger",
      "0008_without_cvc",
      "0009_attention_and_dispute_lookups",
      "0010_token_reserve",
      "0011_sent_as_refund",
      "0012_emails",
      "0013_invitations_by_email",
      "0014_late_emails",
      "0015_plain_column_names",
      "0016_card_erase_at",
      "0017_distributable",
      "0018_plain_charge_trigger",
      "0019_session_versions",
      "0020_zero_totals",
      "0021_promotion_codes",
      "0022_customers",
      "0023_customers_of_cards",
    ]);
  });
});

describe("functions", () => {
  const greet = (word: string) =>
    storedFunction<{ greeting: string }>("greet", {
      takes: { account_no: "bigint", name: "text" },
      returns: "greeting text",
      steps: `return query select '${word} ' || :name;`,
    });
  // Not with the function itself, because then its call would be recorded as one of the service's statements.
  const callOf = ({ storedName }: { storedName: string }) => query(`select * from ${storedName}($1, $2)`, [1, "Ann"]);
  const existing = async () =>
    (await query("select proname as name from pg_proc where proname like 'greet%' order by 1")).map(
      (row) => row["name"],
    );

  it("are created if they're missing, also without a migration, and by several processes at once", async () => {
    const hello = greet("Hello");
    await migrate(database, storedFunctions);
    expect(await pendingChanges(database, [...storedFunctions, hello])).toEqual([hello.storedName]);
    const migrations = Array.from({ length: 3 }, () => migrate(database, [...storedFunctions, hello]));
    await Promise.all(migrations);
    expect(await pendingChanges(database, [...storedFunctions, hello])).toEqual([]);
    expect(await callOf(hello)).toEqual([{ greeting: "Hello Ann" }]);
  });

  it("of two releases exist next to each other", async () => {
    const [hello, welcome] = [greet("Hello"), greet("Welcome")];
    await migrate(database, [hello]);
    await migrate(database, [welcome]);
    expect(await existing()).toEqual([hello.storedName, welcome.storedName].sort());
    expect(await callOf(hello)).toEqual([{ greeting: "Hello Ann" }]);
    expect(await callOf(welcome)).toEqual([{ greeting: "Welcome Ann" }]);
  });

  it("can't be defined with an argument that isn't declared", () => {
    const define = () =>
      storedFunction("greet", { takes: {}, returns: "name text", steps: "return query select :name;" });
    expect(define).toThrow("Bug: greet takes no name");
  });
});

describe("connections cut in the middle of transactions", () => {
  it("fail their own queries only, and later queries work", async () => {
    const cut = async () => {
      // PGlite has no connection to cut, so there the transaction fails with an error.
      const others =
        "select pg_terminate_backend(pid) from pg_stat_activity where pid <> pg_backend_pid() and datname = current_database()";
      if (database.choice.kind === "postgres") await query(others);
    };
    const transactions = Array.from({ length: 5 }, () =>
      database.db.transaction().execute(async (tx) => {
        await sql`select 1`.execute(tx);
        await new Promise((resolve) => setTimeout(resolve, 200));
        await sql`select no_such_column`.execute(tx);
      }),
    );
    const outcomes = Promise.allSettled(transactions);
    await new Promise((resolve) => setTimeout(resolve, 100));
    await cut();
    expect((await outcomes).map(({ status }) => status)).toEqual(Array(5).fill("rejected"));
    expect(await query("select 1 as value")).toEqual([{ value: 1 }]);
  });
});

describe("a transaction that is abandoned before the response to its BEGIN", () => {
  // PGlite has no connection on which a response could be late, so the test abandons an ordinary transaction there.
  it.each([
    ["while it is being rolled back", 1_500],
    ["after the caller has given up", null],
  ])("leaves no open transaction to the next user, even if the response arrives %s", async (_when, lateByMs) => {
    await migrate(database, storedFunctions);
    const { choice } = database;
    const line = choice.kind === "postgres" ? await openDatabaseProxy(choice.url) : null;
    const timeoutMs = 1_000; // the time limit for a response, and again for the rollback
    const behind =
      line === null
        ? database
        : await openDatabase({ kind: "postgres", url: `${line.url}?query_timeout=${timeoutMs}` });
    const insert = (id: string) => sql`insert into account (account_no, id, name, created_at)
      values (hashtext(${id}), ${id}, '', now())`;
    const [givenUp, after] = [`acct_given_up_${lateByMs}`, `acct_after_${lateByMs}`];
    try {
      await sql`select 1`.execute(behind.db); // opens a connection
      line?.hold();
      if (lateByMs !== null) setTimeout(() => line?.release(), lateByMs);
      const transaction = behind.db.transaction().execute(async (tx) => {
        await insert(givenUp).execute(tx);
        throw new Error("Given up");
      });
      await expect(transaction).rejects.toThrow(line === null ? "Given up" : "Query read timeout");
      line?.release();

      await insert(after).execute(behind.db);
      const others = behind.db.transaction().execute(() => Promise.reject(new Error("Refused")));
      await expect(others).rejects.toThrow("Refused");
      expect(await query("select id from account where id in ($1, $2)", [givenUp, after])).toEqual([{ id: after }]);
    } finally {
      if (line !== null) await behind.close();
      await line?.close();
    }
  });
});
