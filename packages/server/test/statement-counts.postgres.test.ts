/**
 * Pins the statements and flushes of the most frequent requests. They determine the speed of the service, and only
 * change on purpose. PostgreSQL counts both: statements in `pg_stat_statements`, and flushes of the write-ahead log in
 * `pg_stat_io`. The service's own statements are counted apart from those that authenticate a request, the vault's and
 * the risk rules'.
 */
import { randomUUID } from "node:crypto";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createBank } from "@oriel/sandbox";
import { closersFor } from "../../../scripts/test/closers-for.ts";
import { openForTests } from "../../../scripts/test/open-for-tests.ts";
import { setAcquirer } from "../src/merchants/accounts/accounts.ts";
import { cardNumbers } from "./setup/customer.ts";
import { newMerchant, order, type Merchant } from "./setup/merchant.ts";
import { startPostgres } from "./setup/postgres.ts";
import { liveBankKeys, startTestService, type ApiResponse } from "./setup/test-service.ts";
import { until } from "./setup/until.ts";

const repetitions = 20;

const closers = closersFor(afterAll);

const more = ["shared_preload_libraries=pg_stat_statements", "autovacuum=off"];
const postgres = await startPostgres({ durable: true, more });
closers.push(() => postgres.stop());
const server = new pg.Client({ connectionString: postgres.url });
await server.connect();
closers.push(() => server.end());
await server.query("create extension pg_stat_statements");
await server.query("create database oriel");

const bank = await openForTests(createBank({ origin: "https://live-bank.example", ...liveBankKeys }));
const liveBankUrl = await bank.listen({ port: 0, host: "127.0.0.1" });
const url = postgres.url.replace(/postgres$/, "oriel");
const service = await openForTests(
  startTestService({
    role: "api",
    database: { kind: "postgres", url },
    live: true,
    liveBankUrl,
    // The default steps, with limits that this test doesn't reach.
    risk: "card_velocity=800/h:challenge,850/h:decline,900/d:decline; card_declines=800/d:decline,900/30d:decline; ip_velocity=800/h:challenge,850/h:decline",
  }),
);

/**
 * Who a statement belongs to, by the table that it mainly reads or writes. The risk rules read the payment method for
 * its fingerprint.
 */
const owners: [string, RegExp][] = [
  ["authentication", /from api_key/],
  ["vault", /vault\./],
  [
    "risk",
    /(insert into|update) shared_try|insert into admission|from admission|^(update|delete from) "(card|shared)_try"|^select .* from "((card|shared)_try|payment_method)"/,
  ],
];

/** Writes that don't happen for each request, but once a second or minute. */
const apart = /insert into request_log|update "api_key"|set "claimed_until"/;

interface Counts {
  /** Calls per request, by who the statements belong to. */
  statements: Record<string, number>;
  /** Flushes of the write-ahead log per request, without those that happen apart. */
  flushes: number;
}

/** Sends a request several times, one after another, and counts what the database did for it. */
async function countOf(send: (n: number) => Promise<ApiResponse>): Promise<Counts> {
  expect(await send(-1)).toMatchObject({ status: 200 }); // what happens once a minute happens now
  const before = await flushes();
  await server.query("select pg_stat_statements_reset()");
  for (let n = 0; n < repetitions; n++) expect(await send(n)).toMatchObject({ status: 200 });
  const { rows } = await server.query<{ query: string; calls: number; writes: number }>(`
    select query, calls::integer, least(calls, rows)::integer as writes from pg_stat_statements
    join pg_database on pg_database.oid = dbid where datname = 'oriel'`);
  const total = (await flushes()) - before;

  const calls: Record<string, number> = {};
  let [notifications, flushedApart] = [0, 0];
  for (const { query, calls: count, writes } of rows) {
    const owner = owners.find(([, pattern]) => pattern.test(query))?.[0] ?? "service";
    if (query.includes("pg_notify")) notifications += count;
    else if (apart.test(query)) flushedApart += writes;
    else calls[owner] = (calls[owner] ?? 0) + count / repetitions;
  }
  // A notification isn't flushed, and one is for all commits since the last one.
  expect(notifications).toBeLessThanOrEqual(repetitions);
  // Rounded, because what happens apart may share a flush with a request.
  return { statements: calls, flushes: Math.round((total - flushedApart) / repetitions) };
}

/** The flushes by all connections of the service so far. Connections report theirs at their end at the latest. */
async function flushes(): Promise<number> {
  const others = "from pg_stat_activity where datname = 'oriel' and backend_type = 'client backend'";
  await server.query(`select pg_terminate_backend(pid) ${others}`);
  await until("the connections to end", async () => (await server.query(`select 1 ${others}`)).rowCount === 0 || null);
  const { rows } = await server.query<{ fsyncs: number }>(
    "/* not recorded */ select fsyncs::integer from pg_stat_io where object = 'wal' and context = 'normal' and backend_type = 'client backend'",
  );
  return rows[0]?.fsyncs ?? Number.NaN;
}

const key = () => ({ "idempotency-key": randomUUID() });

/** Sends each of these once, in order. */
function post(merchant: Merchant, path: string, bodies: object[]): (n: number) => Promise<ApiResponse> {
  return (n) => merchant.call("POST", `/api/v1/${path}`, bodies.at(n), key());
}

async function times<T>(make: () => Promise<T>): Promise<T[]> {
  const made: T[] = [];
  for (let n = 0; n <= repetitions; n++) made.push(await make());
  return made;
}

describe("a request with an idempotency key takes", () => {
  let merchant: Merchant;
  beforeAll(async () => void (merchant = await newMerchant(service)));

  const card = { payment_method_id: "pm_card_visa" };
  const decide = async () => ({ ...order, ...card, decision_id: (await merchant.decide("pm_card_visa"))["id"] });

  it("one statement and one flush for a decision", async () => {
    const send = post(merchant, "decisions", await times(async () => ({ ...order, ...card })));
    expect(await countOf(send)).toEqual({ statements: { authentication: 1, service: 1 }, flushes: 1 });
  });

  it("two statements and two flushes for a charge", async () => {
    const send = post(merchant, "charges", await times(decide));
    expect(await countOf(send)).toEqual({ statements: { authentication: 1, service: 2 }, flushes: 2 });
  });

  it("two statements and one flush for a checkout session", async () => {
    const send = post(merchant, "checkout_sessions", await times(async () => order));
    expect(await countOf(send)).toEqual({ statements: { authentication: 1, service: 2 }, flushes: 1 });
  });

  it("two statements and two flushes for a refund", async () => {
    const charges = await times(async () => ({ charge_id: (await merchant.charge("pm_card_visa")).body["id"] }));
    expect(await countOf(post(merchant, "refunds", charges))).toEqual({
      statements: { authentication: 1, service: 2 },
      flushes: 2,
    });
  });
});

describe("a live charge with a saved card, risk rules and a webhook endpoint", () => {
  let merchant: Merchant;
  let payment_method_id: string;
  beforeAll(async () => {
    merchant = await newMerchant(service, { livemode: true });
    await setAcquirer(service.context.db, merchant.accountId, "kiln-1", service.context.now(), "test");
    const url = "https://shop.example/webhook";
    await merchant.call("POST", "/api/v1/webhook_endpoints", { url });
    const checkout = await merchant.checkout({ save_payment_method: true });
    await checkout.pay(cardNumbers.approved);
    payment_method_id = String((await checkout.session())["payment_method_id"]);
  });

  it("takes one statement and one flush for its decision, apart from the risk rules", async () => {
    expect(await merchant.list("webhook_endpoints")).toHaveLength(1);
    const send = post(merchant, "decisions", await times(async () => ({ ...order, payment_method_id })));
    expect(await countOf(send)).toEqual({ statements: { authentication: 1, risk: 8, service: 1 }, flushes: 3 });
  });

  it("takes two statements and two flushes for the charge", async () => {
    const decide = async () => ({
      ...order,
      payment_method_id,
      decision_id: (await merchant.decide(payment_method_id))["id"],
    });
    const send = post(merchant, "charges", await times(decide));
    expect(await countOf(send)).toEqual({ statements: { authentication: 1, vault: 1, service: 2 }, flushes: 2 });
  });
});

describe("a live payment in the checkout with risk rules", () => {
  it("takes seven flushes, and two more statements because new customers need tokens", async () => {
    const merchant = await newMerchant(service, { livemode: true });
    await setAcquirer(service.context.db, merchant.accountId, "kiln-1", service.context.now(), "test");
    const checkouts = await times(() => merchant.checkout());
    const pay = async (n: number) => (await checkouts.at(n)?.pay(cardNumbers.approved)) as ApiResponse;
    expect(await countOf(pay)).toEqual({
      // Two of the risk rules' statements find out whether the customer is new, and take a token.
      statements: { risk: 16, service: 15, vault: 4 },
      flushes: 7,
    });
  });
});
