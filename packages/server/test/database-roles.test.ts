/**
 * Tests separate PostgreSQL roles for the service and the vault. Neither role can access the other's tables, which
 * belong to a third role that no process uses. PGlite has a single connection and no such separation, and the service
 * says so.
 */
import { sql } from "kysely";
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import { readDatabaseRole } from "@oriel/vault";
import { closersFor } from "../../../scripts/test/closers-for.ts";
import { readDatabaseChoice } from "../src/platform/config.ts";
import { checkLiveRoles } from "../src/platform/live-start.ts";
import { openDatabase, type Database, type DatabaseChoice } from "../src/platform/storage/database.ts";
import { migrate } from "../src/platform/storage/migrate.ts";
import { storedFunction } from "../src/platform/storage/stored-function.ts";
import { storedFunctions } from "../src/stored-functions.ts";
import { cardNumbers, openCheckout } from "./setup/customer.ts";
import { databaseRoles } from "./setup/database-roles.ts";
import { freshDatabase, startTestService } from "./setup/test-service.ts";

const closers = closersFor(afterAll);
let owner: DatabaseChoice;
/** Each process's environment variables. */
let choice: DatabaseChoice;
const hasRoles = () => inject("postgresUrl") !== null;

beforeAll(async () => {
  owner = await freshDatabase(closers);
  choice = owner;
  if (owner.kind !== "postgres") return;
  const database = await openDatabase(owner);
  // Some administrators revoke this default, so functions need a grant.
  await sql`alter default privileges revoke execute on functions from public`.execute(database.db);
  await migrate(database, storedFunctions);
  await database.close();
  choice = await databaseRoles(owner.url, closers);
});

async function withDatabase<T>(of: DatabaseChoice, work: (database: Database) => Promise<T>): Promise<T> {
  const database = await openDatabase(of);
  try {
    if (of.kind === "pglite") await migrate(database, storedFunctions); // an embedded database is new each time
    return await work(database);
  } finally {
    await database.close();
  }
}

describe("a service and a vault with separate roles", () => {
  it("take a payment, save a card and charge it", async () => {
    const service = await startTestService({ database: choice });
    try {
      const checkout = await openCheckout(service, { save_payment_method: true });
      const { body } = await checkout.pay(cardNumbers.approved);
      expect(body).toMatchObject({ payment: { status: "succeeded" } });
      const { payment_method_id } = await checkout.session();
      const decided = await service.call("POST", "/api/v1/decisions", {
        payment_method_id,
        amount: 700,
        currency: "eur",
      });
      const order = { payment_method_id, decision_id: decided.body["id"], amount: 700, currency: "eur" };
      expect(await service.call("POST", "/api/v1/charges", order)).toMatchObject({
        status: 200,
        body: { status: "succeeded" },
      });
    } finally {
      await service.close();
    }
  });

  it("can access only their own tables", async () => {
    await withDatabase(choice, async ({ pool, vaultPool }) => {
      const service = await readDatabaseRole(pool);
      const vault = await readDatabaseRole(vaultPool);
      const wall = { isSuperuser: false };
      const none = { isSuperuser: true, reachesVault: true, reachesService: true };
      expect(service).toMatchObject(hasRoles() ? { ...wall, reachesVault: false, reachesService: true } : none);
      expect(vault).toMatchObject(hasRoles() ? { ...wall, reachesVault: true, reachesService: false } : none);
    });
  });

  it("are refused by PostgreSQL itself for other tables", async () => {
    await withDatabase(choice, async ({ pool, vaultPool }) => {
      const tried = [
        pool.query("select * from vault.card"),
        pool.query("delete from vault.cvc"),
        pool.query("select * from vault.credentials"),
        vaultPool.query("select * from charge"),
        vaultPool.query("select * from api_key"),
        pool.query("create table mine ()"),
        vaultPool.query("create table vault.mine ()"),
      ];
      const outcomes = await Promise.all(
        tried.map((attempt) =>
          attempt.then(
            () => "done",
            (error: unknown) => String(error),
          ),
        ),
      );
      for (const outcome of outcomes) expect(outcome).toMatch(hasRoles() ? /permission denied/ : /done/);
    });
  });

  it("can't update the schema, and say who can", async () => {
    const later = storedFunction("later", { takes: { account_no: "bigint" }, steps: "return;" });
    const resultOf = (update: Promise<void>) =>
      update.then(
        () => "done",
        (error: unknown) => String(error),
      );
    const refused =
      /^OperatorError: The PostgreSQL role in DATABASE_URL isn't allowed to do this: .+\. Run `oriel-server migrate` with the role that owns the tables\.$/;
    await withDatabase(choice, async (database) => {
      const column = { "9999_later": "alter table charge add column later text" };
      for (const update of [() => migrate(database, [later]), () => migrate(database, storedFunctions, column)])
        expect(await resultOf(update())).toMatch(hasRoles() ? refused : /done/);
    });
  });

  it("are required to start in live mode", async () => {
    const resultOf = (of: DatabaseChoice) =>
      withDatabase(
        of,
        async (database) =>
          await checkLiveRoles(database).then(
            () => "fine",
            (error: unknown) => String(error),
          ),
      );
    expect(await resultOf(choice)).toMatch(hasRoles() ? /^fine$/ : /superuser/);
    expect(await resultOf(owner)).toMatch(/superuser/);
    if (choice.kind !== "postgres" || choice.vaultUrl === undefined) return;
    expect(await resultOf({ kind: "postgres", url: choice.vaultUrl })).toMatch(/has access to the schema/);
    expect(await resultOf({ ...choice, vaultUrl: choice.url })).toMatch(/must have access to the schema/);
  });
});

it("VAULT_DATABASE_URL is refused without DATABASE_URL", () => {
  expect(() => readDatabaseChoice({ VAULT_DATABASE_URL: "postgres://x" })).toThrow(/Set DATABASE_URL as well/);
  expect(readDatabaseChoice({ DATABASE_URL: "postgres://a/b", VAULT_DATABASE_URL: "postgres://c/b" })).toEqual({
    kind: "postgres",
    url: "postgres://a/b",
    vaultUrl: "postgres://c/b",
  });
});
