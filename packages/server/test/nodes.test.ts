/**
 * Tests queries about all accounts while a node of a cluster is missing, and the distribution of tables. The database only
 * looks like the coordinator of a Citus cluster, so no cluster is needed. `nodes.citus.test.ts` tests a real one.
 */
import { sql } from "kysely";
import { afterEach, describe, expect, inject, it, onTestFinished } from "vitest";
import { closersFor } from "../../../scripts/test/closers-for.ts";
import { openForTests } from "../../../scripts/test/open-for-tests.ts";
import { createAccount } from "../src/merchants/accounts/accounts.ts";
import { openDatabase } from "../src/platform/storage/database.ts";
import { distribute } from "../src/platform/storage/distribute.ts";
import { watchNodes, type IsReachable } from "../src/platform/storage/nodes.ts";
import { perOwner } from "../src/platform/storage/per-owner.ts";
import { createReadiness } from "../src/telemetry/readiness.ts";
import { newMerchant, type Merchant } from "./setup/merchant.ts";
import { freshDatabase, startTestService } from "./setup/test-service.ts";
import { until } from "./setup/until.ts";

const closers = closersFor(afterEach);
const service = await openForTests(startTestService({ role: "api" }));
const { db, now } = service.context;
const choice = service.config.database;

/** Accounts with an even number are on db-2, the others on db-3. */
await sql
  .raw(
    `create table pg_dist_node (nodename text, nodeport integer, groupid integer, noderole text, responds boolean);
     insert into pg_dist_node values
       ('db-1', 5432, 0, 'primary', true), ('db-2', 5432, 1, 'primary', true), ('db-3', 5432, 2, 'primary', true);
     create table pg_dist_placement (shardid bigint, groupid integer);
     insert into pg_dist_placement values (0, 1), (1, 2);
     create function get_shard_id_for_distribution_column(text, bigint) returns bigint language sql as 'select $2 % 2';
     create function citus_check_connection_to_node(text, integer) returns boolean language sql as
       'select responds from pg_dist_node where nodename = $1 and nodeport = $2';`,
  )
  .execute(db);

async function setResponding(isResponding: boolean): Promise<void> {
  await sql`update pg_dist_node set responds = ${isResponding} where nodename = 'db-2'`.execute(db);
}

async function newMerchantOn(node: "db-2" | "db-3"): Promise<Merchant> {
  for (;;) {
    const merchant = await newMerchant(service);
    if (merchant.tenant.accountNo % 2 === (node === "db-2" ? 0 : 1)) return merchant;
  }
}

async function watch() {
  const log: string[] = [];
  const add = (_details: object, message: string) => void log.push(message);
  const nodes = watchNodes({ choice, engine: "citus" }, { info: add, warn: add, error: add });
  onTestFinished(async () => {
    await nodes.stop();
    await setResponding(true);
  });
  while ((await accountsWhere(() => sql<boolean>`account_no % 2 = 0`)).length === 0)
    await createAccount(db, "On db-2", now());
  while ((await accountsWhere(() => sql<boolean>`account_no % 2 = 1`)).length === 0)
    await createAccount(db, "On db-3", now());
  const all = await accountsWhere(() => sql<boolean>`true`);
  return { nodes, log, all, onDb3: all.filter((accountNo) => accountNo % 2 === 1) };
}

async function accountsWhere(isReachable: IsReachable): Promise<number[]> {
  const accounts = await db
    .selectFrom("account")
    .select("account_no")
    .where(isReachable())
    .orderBy("account_no")
    .execute();
  return accounts.map(({ account_no }) => account_no);
}

const lost = () => Object.assign(new Error("connection to the remote node db-2:5432 failed"), { code: "08006" });

describe("a query about all accounts", () => {
  it("is repeated without the accounts of a missing node, until it responds again", async () => {
    const { nodes, log, all, onDb3 } = await watch();
    expect(await nodes.ofAllAccounts(accountsWhere)).toEqual(all);
    await setResponding(false);
    let tries = 0;
    const found = await nodes.ofAllAccounts(async (isReachable) => {
      if (tries++ === 0) throw lost();
      return await accountsWhere(isReachable);
    });
    expect(found).toEqual(onDb3);
    expect(nodes.missing).toEqual(["db-2:5432"]);
    expect(await nodes.ofAllAccounts(accountsWhere)).toEqual(onDb3);
    await setResponding(true);
    await until("the node", () => (nodes.missing.length === 0 ? true : null));
    expect(await nodes.ofAllAccounts(accountsWhere)).toEqual(all);
    expect(log).toEqual([
      "Nodes of the database don't respond; their accounts can't be used",
      "All nodes of the database respond again",
    ]);
  });

  it("doesn't wait for a node that hangs", async () => {
    const { nodes, onDb3 } = await watch();
    let tries = 0;
    const waiting = nodes.ofAllAccounts(async (isReachable) => {
      if (tries++ === 0) await new Promise(() => {});
      return await accountsWhere(isReachable);
    });
    await setResponding(false);
    expect(await waiting).toEqual(onDb3);
  });

  it.each([
    ["nodes that all respond", lost()],
    ["a mistake in the query", new Error("syntax error")],
  ])("fails because of %s", async (_cause, error) => {
    const { nodes } = await watch();
    await expect(nodes.ofAllAccounts(async () => await Promise.reject(error))).rejects.toBe(error);
    expect(nodes.missing).toEqual([]);
  });
});

describe("an account whose node is missing", () => {
  it("gets 503 before a statement waits for the node, and the others are served", async () => {
    const { nodes } = await watch();
    const { context } = service;
    const before = context.nodes;
    context.nodes = nodes;
    onTestFinished(() => void (context.nodes = before));
    const [onDb2, onDb3] = [await newMerchantOn("db-2"), await newMerchantOn("db-3")];
    const { sessionId } = await onDb2.checkout();
    await setResponding(false);
    await until("the missing node", () => (nodes.missing.length > 0 ? true : null));
    const unavailable = { status: 503, body: { error: { code: "service_unavailable" } } };
    expect(await onDb2.call("GET", "/api/v1/charges")).toMatchObject(unavailable);
    expect(await service.frame("GET", `/frame/sessions/${sessionId}/why?origin=https://shop.example`)).toMatchObject(
      unavailable,
    );
    expect(await onDb3.call("GET", "/api/v1/charges")).toMatchObject({ status: 200 });
    // Created after the last check.
    expect(await (await newMerchantOn("db-3")).call("GET", "/api/v1/charges")).toMatchObject({ status: 200 });
    await setResponding(true);
    await until("the node", () => (nodes.missing.length === 0 ? true : null));
    expect(await onDb2.call("GET", "/api/v1/charges")).toMatchObject({ status: 200 });
  });

  it("is left out of a step that has already found it", async () => {
    const { nodes, log, all, onDb3 } = await watch();
    await setResponding(false);
    await until("the missing node", () => (nodes.missing.length > 0 ? true : null));
    const add = () => void log.push("a step failed");
    const owners = all.map((account_no) => ({ account_no, livemode: false }));
    const context = { nodes, log: { info: add, warn: add, error: add } };
    const done = await perOwner(context, "step", owners, async ({ account_no }) => account_no);
    expect(done.sort((a, b) => a - b)).toEqual(onDb3);
    expect(log).not.toContain("a step failed");
  });
});

describe("a check of the nodes", () => {
  it("finds a missing one while requests that wait for it use all of the service's connections", async () => {
    const { nodes } = await watch();
    await setResponding(false);
    const { promise: released, resolve: release } = Promise.withResolvers<void>();
    const inUse = Array.from({ length: 20 }, async () => await db.connection().execute(async () => await released));
    await until("the missing node", () => (nodes.missing.length > 0 ? true : null), 5_000).finally(release);
    await Promise.all(inUse);
    expect(nodes.missing).toEqual(["db-2:5432"]);
  });
});

describe("/readyz", () => {
  it("names a missing node, and stays ready", async () => {
    const { nodes } = await watch();
    const readiness = createReadiness({ ...service.context, nodes }, null);
    expect(await readiness.check()).toEqual({ code: 200, body: { status: "ok" } });
    await setResponding(false);
    await until("the missing node", () => (nodes.missing.length > 0 ? true : null));
    expect(await readiness.check()).toEqual({ code: 200, body: { status: "ok", missing_nodes: ["db-2:5432"] } });
  });
});

describe("the distribution of tables", () => {
  it("keeps triggers from running again for the rows that Citus copies into the shards", async () => {
    const database = await openDatabase(await freshDatabase(closers, inject("migratedTemplate") ?? undefined));
    closers.push(() => database.close());
    await sql
      .raw(
        `create table pg_dist_partition (logicalrelid regclass, partmethod text, repmodel text);
         create table copied (name text, triggers bigint);
         create function create_distributed_table(name text, by text, colocate_with text) returns void language sql as
           'insert into copied
            select name, (select count(*) from pg_trigger where tgrelid = name::regclass and not tgisinternal)';
         create function create_reference_table(name text) returns void language sql as
           'select create_distributed_table(name, null, null)';
         create function create_distributed_function(text) returns void language sql as '';`,
      )
      .execute(database.db);
    const triggers = async () => {
      const found = sql`select pg_get_triggerdef(oid) from pg_trigger where not tgisinternal order by 1`;
      return (await found.execute(database.db)).rows;
    };
    const before = await triggers();
    await database.db.transaction().execute(distribute);
    const { rows: copied } = await sql<{ name: string }>`select * from copied`.execute(database.db);
    expect(copied.map(({ name }) => name)).toEqual(expect.arrayContaining(["account", "checkout_session", "charge"]));
    expect(copied).toEqual(copied.map(({ name }) => ({ name, triggers: 0 })));
    expect(await triggers()).toEqual(before);
  });
});
