/**
 * Tests a vault with a database of its own, on a second PostgreSQL server: payments, commands, backups, and what
 * happens if a URL is wrong or the vault's server is down.
 */
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import pg from "pg";
import { afterAll, describe, expect, inject, it } from "vitest";
import { createBank } from "@oriel/sandbox";
import { closersFor } from "../../../scripts/test/closers-for.ts";
import { openForTests } from "../../../scripts/test/open-for-tests.ts";
import { temporaryDirectory } from "../../../scripts/test/temporary-directory.ts";
import { checkLiveRoles } from "../src/platform/live-start.ts";
import { openDatabase } from "../src/platform/storage/database.ts";
import { sweep } from "../src/worker.ts";
import { cardNumbers, openCheckout } from "./setup/customer.ts";
import { databaseRoles } from "./setup/database-roles.ts";
import { startOrielServer } from "./setup/oriel-process.ts";
import { startPostgres } from "./setup/postgres.ts";
import { bankKeys, freshDatabase, startTestService, type TestService } from "./setup/test-service.ts";

/** There's no snapshot of all nodes of a Citus cluster. */
const refusesBackups = inject("cluster") !== null;

const base = temporaryDirectory(afterAll);
const closers = closersFor(afterAll);
const keyDir = join(base, "keys");

mkdirSync(keyDir);
const second = await startPostgres();
closers.push(() => second.stop());
const vaultServer = second.url;
const urls = await emptyDatabases();
await command(["migrate"], urls);
const service = await openForTests(startTestService({ database: { kind: "postgres", ...urls }, keyDir }));
const savedCard = await saveCard();

interface Urls {
  url: string;
  vaultUrl?: string;
}

async function emptyDatabases(): Promise<Urls & { vaultUrl: string }> {
  const [own, vault] = [await freshDatabase(closers), await freshDatabase(closers, "template1", vaultServer)];
  if (own.kind !== "postgres" || vault.kind !== "postgres") throw new Error("Bug: not on PostgreSQL");
  return { url: own.url, vaultUrl: vault.url };
}

async function command(args: string[], { url, vaultUrl }: Urls, env: NodeJS.ProcessEnv = {}) {
  const database = { DATABASE_URL: url, ...(vaultUrl !== undefined && { VAULT_DATABASE_URL: vaultUrl }) };
  const bank = { BANK_API_KEY: bankKeys.apiKey, BANK_RESULTS_KEY: bankKeys.resultsKey };
  const directories = { ORIEL_DATA_DIR: join(base, "data"), ORIEL_KEY_DIR: keyDir };
  const oriel = startOrielServer(args, { ...database, ...bank, ...directories, ...env }, closers);
  return { code: await oriel.end(), said: oriel.said() };
}

async function query(url: string, text: string): Promise<Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query<Record<string, unknown>>(text)).rows;
  } finally {
    await client.end();
  }
}

const schemasOf = async (url: string) =>
  (
    await query(
      url,
      "select distinct schemaname as name from pg_tables where schemaname in ('public', 'vault') order by 1",
    )
  ).map(({ name }) => name);
const cardsIn = async (url: string) =>
  (await query(url, "select payment_method_id from vault.card order by 1")).map((row) => row["payment_method_id"]);

async function saveCard(): Promise<string> {
  const checkout = await openCheckout(service, { save_payment_method: true });
  expect((await checkout.pay(cardNumbers.approved)).body).toMatchObject({ payment: { status: "succeeded" } });
  return String((await checkout.session())["payment_method_id"]);
}

async function charge(by: Pick<TestService, "call">, card: string, headers?: Record<string, string>) {
  const order = { payment_method_id: card, amount: 700, currency: "eur" };
  const decision = await by.call("POST", "/api/v1/decisions", order, headers);
  return await by.call("POST", "/api/v1/charges", { ...order, decision_id: decision.body["id"] }, headers);
}

describe("a vault with a database of its own", () => {
  it("has its tables there, and the service's database has none of them", async () => {
    expect(await schemasOf(urls.url)).toEqual(["public"]);
    expect(await schemasOf(urls.vaultUrl)).toEqual(["vault"]);
    // The migrations run once, however many processes start at the same moment.
    const both = await emptyDatabases();
    const results = await Promise.all([1, 2, 3].map(() => command(["migrate"], both)));
    expect(results.map(({ said }) => said)).toEqual(Array(3).fill("The database schema is up to date.\n"));
    expect(await query(both.vaultUrl, "select name from vault.kysely_migration")).toEqual([
      { name: "0001_vault" },
      { name: "0002_credentials" },
      { name: "0003_credentials_of_acquirer_accounts" },
      { name: "0016_card_erase_at" },
    ]);
    expect(await query(both.url, "select name from kysely_migration")).toEqual([
      { name: "0001_first" },
      { name: "0002_card_testing" },
      { name: "0003_acquirer_details" },
      { name: "0004_acquirer_accounts" },
      { name: "0005_plain_ledger_trigger" },
      { name: "0006_late_successes" },
      { name: "0007_every_attempt_in_ledger" },
      { name: "0008_without_cvc" },
      { name: "0009_attention_and_dispute_lookups" },
      { name: "0010_token_reserve" },
      { name: "0011_sent_as_refund" },
      { name: "0012_emails" },
      { name: "0013_invitations_by_email" },
      { name: "0014_late_emails" },
      { name: "0015_plain_column_names" },
      { name: "0017_distributable" },
      { name: "0018_plain_charge_trigger" },
      { name: "0019_session_versions" },
      { name: "0020_zero_totals" },
      { name: "0021_promotion_codes" },
      { name: "0022_customers" },
      { name: "0023_customers_of_cards" },
    ]);
  });

  it("stores a card, pays with it, and erases it when it's detached", async () => {
    const card = await saveCard();
    expect(await cardsIn(urls.vaultUrl)).toContain(card);
    expect(await charge(service, card)).toMatchObject({ status: 200, body: { status: "succeeded" } });
    expect(await service.call("POST", `/api/v1/payment_methods/${card}/detach`)).toMatchObject({ status: 200 });
    await sweep(service.context);
    expect(await cardsIn(urls.vaultUrl)).toEqual([savedCard]);
    expect((await charge(service, card)).status).not.toBe(200);
  });

  it("makes the service unavailable while its database is read-only, without declining a payment", async () => {
    const setReadOnly = async (isReadOnly: boolean) => {
      const name = new URL(urls.vaultUrl).pathname.slice(1);
      await query(vaultServer, `alter database ${name} set default_transaction_read_only = ${String(isReadOnly)}`);
      await query(vaultServer, `select pg_terminate_backend(pid) from pg_stat_activity where datname = '${name}'`);
      await service.call("GET", "/readyz"); // may get a connection that was just closed
      service.moveClock(5_000);
    };
    await setReadOnly(true);
    expect(await service.call("GET", "/readyz")).toMatchObject({ status: 503, body: { reason: "database" } });
    const checkout = await openCheckout(service, {});
    const refused = await checkout.pay(cardNumbers.approved);
    expect(refused).toMatchObject({ status: 503, body: { error: { code: "service_unavailable" } } });
    await setReadOnly(false);
    expect((await service.call("GET", "/readyz")).status).toBe(200);
    expect((await checkout.pay(cardNumbers.approved)).body).toMatchObject({ payment: { status: "succeeded" } });
  });

  it.skipIf(refusesBackups)("can be backed up and restored into two new databases", async () => {
    const [directory, keys] = [join(base, "backup"), join(base, "key-backup")];
    const made = await command(["backup", directory, "--keys-to", keys], urls);
    expect(made).toMatchObject({ code: 0, said: expect.stringContaining("Move the key files to another place") });
    const target = await emptyDatabases();
    const installed = { ORIEL_KEY_DIR: join(base, "installed-keys") };
    const restore = ["restore", directory, "--keys-from", keys];
    // A vault that is in use isn't overwritten.
    const halfEmpty = { ...target, vaultUrl: urls.vaultUrl };
    expect(await command(restore, halfEmpty, installed)).toEqual({
      code: 2,
      said: expect.stringMatching(/The database isn't empty: vault\.\w+ has rows\. .* set VAULT_DATABASE_URL to it/),
    });
    expect(await command(restore, target, installed)).toMatchObject({ code: 0 });
    expect(await cardsIn(target.vaultUrl)).toEqual(await cardsIn(urls.vaultUrl));
    expect(await schemasOf(target.url)).toEqual(["public"]);

    const restored = await startTestService({
      database: { kind: "postgres", ...target },
      keyDir: installed.ORIEL_KEY_DIR,
    });
    closers.push(() => restored.close());
    const headers = { authorization: `Bearer ${service.secretKey}` };
    expect(await charge(restored, savedCard, headers)).toMatchObject({ status: 200, body: { status: "succeeded" } });
  });

  it.skipIf(refusesBackups)("moves there from the service's database with a backup, and back", async () => {
    const together = await freshDatabase(closers);
    if (together.kind !== "postgres") throw new Error("Bug: not on PostgreSQL");
    const move = async (from: Urls, to: Urls, name: string) => {
      const [directory, keys] = [join(base, name), join(base, `${name}-keys`)];
      expect(await command(["backup", directory, "--keys-to", keys], from)).toMatchObject({ code: 0 });
      expect(await command(["restore", directory], to)).toMatchObject({ code: 0 });
    };
    await move(urls, { url: together.url }, "to-one");
    expect(await schemasOf(together.url)).toEqual(["public", "vault"]);
    expect(await cardsIn(together.url)).toEqual(await cardsIn(urls.vaultUrl));
    const apart = await emptyDatabases();
    await move({ url: together.url }, apart, "to-two");
    expect(await schemasOf(apart.url)).toEqual(["public"]);
    expect(await cardsIn(apart.vaultUrl)).toEqual(await cardsIn(together.url));
  });

  it("passes `oriel-server doctor` and live mode's checks with a role of its own", async () => {
    const bank = await createBank({ origin: "http://bank.localhost:4100", ...bankKeys });
    closers.push(() => bank.close());
    const settings = { BANK_URL: await bank.listen({ port: 0, host: "127.0.0.1" }) };
    const roles = await databaseRoles(urls.url, closers, urls.vaultUrl);
    if (roles.kind !== "postgres") throw new Error("Bug: not on PostgreSQL");
    const { said } = await command(["doctor"], roles, settings);
    expect(said).toMatch(
      /^ok +database +.*PostgreSQL \S+.* is reachable, and the vault's own database on PostgreSQL \d/m,
    );
    expect(said).toMatch(/^ok +database user +separate roles for the service and the vault/m);
    expect(said).toMatch(/^ok +tables +up to date/m);
    expect(said).toMatch(/^ok +vault keys/m);
    const database = await openDatabase(roles);
    closers.push(() => database.close());
    await checkLiveRoles(database);
    const swapped = { ...database, vaultPool: database.pool };
    await expect(checkLiveRoles(swapped)).rejects.toThrow("must have access to the schema `vault`");
  });
});

describe("a wrong URL of the vault's database", () => {
  it.each<[string, () => Promise<Urls>, string]>([
    ["is missing", async () => ({ url: urls.url }), "the vault's tables don't. Set VAULT_DATABASE_URL"],
    [
      "leads to an empty database",
      async () => ({ url: urls.url, vaultUrl: (await emptyDatabases()).vaultUrl }),
      "the vault's tables don't. Set VAULT_DATABASE_URL",
    ],
    [
      "leads to another database than that with the vault's tables",
      async () => {
        const { url, vaultUrl } = await emptyDatabases();
        expect(await command(["migrate"], { url })).toMatchObject({ code: 0 });
        return { url, vaultUrl };
      },
      "The vault's tables are in the database in DATABASE_URL, but VAULT_DATABASE_URL is another database.",
    ],
  ])("is refused if it %s, and no vault is created there", async (_case, make, sentence) => {
    const wrong = await make();
    const before = await schemasOf(wrong.vaultUrl ?? wrong.url);
    expect(await command(["migrate"], wrong)).toEqual({ code: 2, said: expect.stringContaining(sentence) });
    const { said } = await command(["doctor"], wrong);
    expect(said).toMatch(/^FAILED +tables +.*VAULT_DATABASE_URL/m);
    expect(await schemasOf(wrong.vaultUrl ?? wrong.url)).toEqual(before);
  });

  it("is accepted with another host name, role or parameter of the service's database", async () => {
    const { url } = await emptyDatabases();
    const vaultUrl = `${url.replace("127.0.0.1", "localhost")}?application_name=vault`;
    expect(await command(["migrate"], { url, vaultUrl })).toMatchObject({ code: 0 });
    expect(await schemasOf(url)).toEqual(["public", "vault"]);
  });
});
