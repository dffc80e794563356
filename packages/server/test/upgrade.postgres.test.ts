/**
 * Tests an upgrade from the current version of the schema to a later one, which exists only in this test. Processes of
 * the earlier version take payments before, during and after the migration, next to one that starts on the new tables.
 */
import { randomUUID } from "node:crypto";
import { sql } from "kysely";
import { afterAll, expect, inject, it } from "vitest";
import { closersFor } from "../../../scripts/test/closers-for.ts";
import { freePort } from "../../../scripts/test/free-port.ts";
import { openForTests } from "../../../scripts/test/open-for-tests.ts";
import { migrate, pendingMigrations } from "../src/platform/storage/migrate.ts";
import { storedFunction } from "../src/platform/storage/stored-function.ts";
import { storedFunctions } from "../src/stored-functions.ts";
import { startServiceProcess } from "./setup/oriel-process.ts";
import { bankKeys, startTestService } from "./setup/test-service.ts";
import { startTwoProcesses } from "./setup/two-processes.ts";
import { until } from "./setup/until.ts";

const later = {
  "9999_trial": `
    alter table charge add column trial text not null default 'later';
    alter table checkout_session add column trial text;
    create index charge_by_trial on charge (account_no, livemode, trial, id);
    create table trial (
      account_no bigint not null,
      livemode   boolean not null,
      charge_id  text not null,
      primary key (account_no, livemode, charge_id)
    );`,
  "9999_trial_of_charge": `
    alter table trial add constraint trial_of_charge foreign key (account_no, livemode, charge_id) references charge;`,
};

/** A function of the earlier version with another text. */
const laterFunction = storedFunction("decide", {
  takes: { account_no: "bigint" },
  returns: "decided boolean",
  steps: "return query select true;",
});

const closers = closersFor(afterAll);
const bank = await openForTests(startTestService({ role: "api" }));
const two = await openForTests(startTwoProcesses({ BANK_URL: bank.bankUrl, ORIEL_RATE_LIMIT: "off" }));

/**
 * Sends a request again with the same key after a 503, as the API asks its clients to. A prepared statement of the
 * earlier version fails once if it returns other columns now (`storage/preparing-client.ts`).
 */
async function post(
  url: string,
  path: string,
  body: object,
  key = randomUUID(),
): Promise<{ status: number; id: string }> {
  const response = await fetch(`${url}/api/v1/${path}`, {
    method: "POST",
    headers: {
      authorization: `Bearer ${two.key.secretKey}`,
      "content-type": "application/json",
      "idempotency-key": key,
    },
    body: JSON.stringify(body),
  });
  const { id } = (await response.json()) as { id: string };
  return response.status === 503 ? await post(url, path, body, key) : { status: response.status, id };
}

const money = { amount: 4900, currency: "eur", payment_method_id: "pm_card_visa" };

/** Charges at one process after the other until it's stopped. @returns the statuses of all responses */
function chargeRepeatedly(url: string) {
  const statuses: number[] = [];
  const stopping = new AbortController();
  const done = (async () => {
    while (!stopping.signal.aborted) {
      const decision = await post(url, "decisions", money);
      const charge = await post(url, "charges", { ...money, decision_id: decision.id });
      const session = await post(url, "checkout_sessions", { amount: 4900, currency: "eur" });
      statuses.push(decision.status, charge.status, session.status);
    }
  })();
  return {
    statuses,
    async stop() {
      stopping.abort();
      await done;
    },
  };
}

it("upgrades while processes of the earlier version take payments, and they go on afterwards", async () => {
  const clients = two.urls.map(chargeRepeatedly);
  const more = async (count: number) => {
    const before = clients.map(({ statuses }) => statuses.length);
    await until("more payments", async () =>
      clients.every(({ statuses }, i) => statuses.length >= (before[i] ?? 0) + count) ? true : null,
    );
  };
  await more(9);
  const databases = {
    db: two.db,
    vaultDb: null,
    choice: two.choice,
    engine: inject("cluster") === null ? ("postgres" as const) : ("citus" as const),
  };
  await migrate(databases, [...storedFunctions, laterFunction], later);
  await more(9);

  // A process of the earlier version can also start on the new tables.
  if (two.choice.kind !== "postgres") throw new Error("Bug: not on PostgreSQL");
  const port = await freePort();
  const env = {
    DATABASE_URL: two.choice.url,
    ORIEL_DATA_DIR: two.dataDir,
    ORIEL_PORT: String(port),
    BANK_URL: bank.bankUrl,
    BANK_API_KEY: bankKeys.apiKey,
    BANK_RESULTS_KEY: bankKeys.resultsKey,
  };
  const third = startServiceProcess("api", env, closers);
  await third.says(/Listening on/);
  const decision = await post(`http://127.0.0.1:${port}`, "decisions", money);
  expect(decision.status).toBe(200);
  for (const client of clients) await client.stop();
  expect(await third.stop("SIGTERM")).toBe(0);

  const statuses = clients.flatMap((client) => client.statuses);
  expect(statuses.filter((status) => status !== 200)).toEqual([]);
  expect(await pendingMigrations(databases)).toEqual([]);
  expect(await pendingMigrations(databases, later)).toEqual([]);
  const { rows } = await sql<{ charges: number; later: number }>`
    select count(*)::integer as charges, count(*) filter (where trial = 'later')::integer as later from charge
    where status = 'succeeded'`.execute(two.db);
  expect(rows).toEqual([{ charges: statuses.length / 3, later: statuses.length / 3 }]);
});
