/**
 * Tests that a worker's statements lock and change rows of one account at a time, so that a locked account doesn't stop
 * the others, and that a change in the dashboard doesn't stop payments. It needs several connections, so it doesn't run
 * on PGlite. No worker runs by itself here.
 */
import { sql } from "kysely";
import { describe, expect, it } from "vitest";
import { openForTests } from "../../../scripts/test/open-for-tests.ts";
import { setAccountStatus } from "../src/merchants/accounts/accounts.ts";
import { createClaims } from "../src/payments/attempts/claims.ts";
import { renewClaimEverySeconds } from "../src/payments/attempts/deadlines.ts";
import { numberAllFeeds } from "../src/payments/events/feed-queue.ts";
import { requestResults, resumeAttempts } from "../src/payments/flow/recovery.ts";
import { processDueNotifications } from "../src/payments/notifications/process.ts";
import { noCause } from "../src/platform/cause.ts";
import { storedFunctions } from "../src/stored-functions.ts";
import { createTelemetry } from "../src/telemetry/telemetry.ts";
import { noTracing } from "../src/telemetry/tracing.ts";
import { claimDeliveries } from "../src/webhooks/claim-deliveries.ts";
import { deliver } from "../src/webhooks/deliver.ts";
import { updateWebhookEndpoint } from "../src/webhooks/webhook-endpoints.ts";
import { reportCardTesting, sweep } from "../src/worker.ts";
import { payAndAuthenticate, cardNumbers } from "./setup/customer.ts";
import { countDue, dueWork, manyAndFew, whileOthersAreMissing } from "./setup/due-work.ts";
import { newMerchant, type Merchant } from "./setup/merchant.ts";
import { recordStatements, type RecordedStatement } from "./setup/recorded-statements.ts";
import { startTestService } from "./setup/test-service.ts";
import { until } from "./setup/until.ts";

const service = await openForTests(startTestService({ role: "api", risk: "account_velocity=99999/h:challenge" }));

/** Does the work while another process has locked rows. */
async function whileLocked(query: string, work: () => Promise<unknown>): Promise<void> {
  await service.context.db.transaction().execute(async (tx) => {
    await sql.raw(`${query} for update`).execute(tx);
    await work();
  });
}

/** While a charge waits for a lock, its request fails after `lock_timeout`. */
describe("a charge", () => {
  it("doesn't wait for a change to one of the account's webhook endpoints", async () => {
    const { context } = service;
    const merchant = await newMerchant(service);
    const { body } = await merchant.call("POST", "/api/v1/webhook_endpoints", { url: "https://shop.example/hooks" });
    const seen = { url: String(body["url"]), enabled_events: null, description: null };
    const change = { seen, description: "Orders" };
    const cause = { ...noCause, actor: "test" };
    await context.db.transaction().execute(async (tx) => {
      await updateWebhookEndpoint(context, tx, merchant.tenant, String(body["id"]), change, cause);
      expect(await merchant.charge("pm_card_visa")).toMatchObject({ status: 200 });
    });
  });

  it("doesn't wait for a change to the account's status", async () => {
    const { db, now } = service.context;
    const merchant = await newMerchant(service);
    const notifyOwners = async () => expect(await merchant.charge("pm_card_visa")).toMatchObject({ status: 200 });
    expect(await setAccountStatus(db, merchant.accountId, "suspended", now(), "test", { notifyOwners })).toBe(true);
  });
});

describe.each(dueWork)("due work: $what", (work) => {
  it("is taken from the other accounts while one account's rows are locked", async () => {
    const { context } = service;
    const { many, few } = await manyAndFew(service, work, { many: 30, few: 3 });
    const rows = `select 1 from ${work.table} where account_no = ${many.tenant.accountNo}`;
    await whileLocked(rows, () => work.take(context, 10));
    expect([await countDue(context, work, many.tenant), await countDue(context, work, few.tenant)]).toEqual([30, 0]);
    await work.take(context, 1_000);
    expect(await countDue(context, work, many.tenant)).toBe(0);
  });

  it("is taken from one account by two workers at once if there is enough for both", async () => {
    const { context } = service;
    const { many, few } = await manyAndFew(service, work, { many: 30, few: 1 });
    await work.take(context, 2);
    expect([await countDue(context, work, many.tenant), await countDue(context, work, few.tenant)]).toEqual([29, 0]);
    await Promise.all([work.take(context, 10), work.take(context, 10)]);
    expect(await countDue(context, work, many.tenant)).toBe(9);
    await work.take(context, 1_000);
  });
});

describe("the event feed", () => {
  it("is numbered for the other accounts while one account's counter is locked", async () => {
    const [locked, other] = [await newMerchant(service), await newMerchant(service)];
    for (const merchant of [locked, other]) await merchant.charge("pm_card_visa");
    await numberAllFeeds(service.context);
    for (const merchant of [locked, other]) await merchant.charge("pm_card_visa");
    const queued = async ({ tenant }: Merchant) => {
      const own = service.context.db.selectFrom("feed_queue").where("account_no", "=", tenant.accountNo);
      return (await own.select("position").execute()).length;
    };
    let numbering: Promise<void> | undefined;
    await whileLocked(`select 1 from feed_counter where account_no = ${locked.tenant.accountNo}`, async () => {
      numbering = numberAllFeeds(service.context);
      await until("the other feed to be numbered", async () => ((await queued(other)) === 0 ? true : null));
      expect(await queued(locked)).toBe(1);
    });
    await numbering;
    expect(await queued(locked)).toBe(0);
  });
});

describe("a claim on an attempt", () => {
  it("is renewed while another account's claims are locked", async () => {
    const { context } = service;
    const [attempts = expect.fail()] = dueWork;
    const { many, few } = await manyAndFew(service, attempts, { many: 1, few: 1 });
    await attempts.take(context, 2);
    const claimOf = ({ tenant: { accountNo } }: Merchant) => {
      const own = context.db.selectFrom("attempt").selectAll().where("account_no", "=", accountNo);
      return own.where("status", "=", "processing").executeTakeFirstOrThrow();
    };
    const before = { many: await claimOf(many), few: await claimOf(few) };
    service.moveClock(60_000);
    const { hold } = createClaims(context);
    const releases = [hold(before.many), hold(before.few)];
    await whileLocked(`select 1 from attempt where account_no = ${many.tenant.accountNo}`, async () => {
      for (let times = 0, { claimed_until: last } = before.few; times < 2; times++) {
        last = await until("the next renewal", async () => {
          const { claimed_until } = await claimOf(few);
          return Number(claimed_until) > Number(last) ? claimed_until : null;
        });
      }
      expect(await claimOf(many)).toEqual(before.many);
    });
    for (const release of releases) release();
  });
});

/** The tables whose rows belong to accounts. */
async function ownedTables(): Promise<string[]> {
  const { rows } = await sql<{ name: string }>`
    select table_name as name from information_schema.columns
    where table_schema = 'public' and column_name = 'account_no' and table_name <> 'account'`.execute(
    service.context.db,
  );
  return rows.map(({ name }) => name);
}

/** What a statement does: its text and that of a function that it calls. */
function fullText({ text }: Pick<RecordedStatement, "text">): string {
  const called = storedFunctions.find(({ storedName }) => text.includes(storedName));
  return `${text} ${called?.definition.steps ?? ""}`;
}

/** The tables in which a statement locks or changes rows. */
function changedTables(text: string): string[] {
  const isLocking = /\bfor (no key update|update|share|key share)\b/i.test(text);
  const changed = [...text.matchAll(/\b(?:insert into|(?<!(?:for|key|do) )update|delete from)\s+"?([a-z_]+)/gi)];
  const read = isLocking ? [...text.matchAll(/\b(?:from|join)\s+"?([a-z_]+)/gi)] : [];
  return [...new Set([...changed, ...read].flatMap(([, table]) => table ?? []))];
}

describe("a statement of a worker", () => {
  it("names one account if it locks or changes rows that belong to accounts", async () => {
    const { context } = service;
    for (const work of dueWork) await manyAndFew(service, work, { many: 3, few: 1 });
    // The customers of these two never complete their challenges.
    const left = [await newMerchant(service), await newMerchant(service)];
    for (const merchant of left) await payAndAuthenticate(await merchant.checkout(), cardNumbers.challenge);
    const last = await Promise.all(left.map((merchant) => merchant.call("GET", "/api/v1/charges")));
    await until("the request log", async () => {
      const ids = last.map(({ headers }) => String(headers["request-id"]));
      const logged = await context.db.selectFrom("request_log").select("id").where("id", "in", ids).execute();
      return logged.length === last.length ? true : null;
    });
    service.moveClock(60 * 60_000);

    const statements = await recordStatements(async () => {
      const capacity = { total: 400, perAccount: 150, perEndpoint: 10, perFailingEndpoint: 1, taken: new Map() };
      const deliveries = await claimDeliveries(context, capacity);
      expect(new Set(deliveries.map(({ tenant }) => tenant.accountNo)).size).toBeGreaterThan(1);
      for (const delivery of deliveries) await deliver(context, delivery);
      const processing = context.db.selectFrom("attempt").selectAll().where("status", "=", "processing");
      const { hold } = createClaims(context);
      const releases = (await processing.execute()).map(hold);
      await new Promise((resolve) => setTimeout(resolve, 2.5 * renewClaimEverySeconds * 1_000));
      for (const release of releases) release();
      await resumeAttempts(context);
      await requestResults(context, context.now());
      await sweep(context);
    });

    const owned = await ownedTables();
    const accounts = await context.db.selectFrom("account").select("account_no").execute();
    const changed = new Map<string, Set<unknown>>(owned.map((table) => [table, new Set()]));
    for (const statement of statements) {
      const text = fullText(statement);
      const tables = changedTables(text).filter((table) => owned.includes(table));
      if (tables.length === 0) continue;
      const named = new Set(statement.values.filter((value) => accounts.some(({ account_no: no }) => no === value)));
      expect(text).toContain("account_no");
      expect({ statement, accounts: named.size }).toEqual({ statement, accounts: 1 });
      for (const table of tables) for (const account of named) changed.get(table)?.add(account);
    }
    const ofSeveralAccounts = [...changed].flatMap(([table, named]) => (named.size > 1 ? [table] : []));
    expect(ofSeveralAccounts).toEqual(expect.arrayContaining(dueWork.map(({ table }) => table)));
    expect(ofSeveralAccounts).toEqual(
      expect.arrayContaining([
        "event",
        "event_sequence",
        "feed_counter",
        "feed_entry",
        "feed_queue",
        "webhook_endpoint",
      ]),
    );
  });

  it("restricts every table that it reads to reachable accounts while a node is missing", async () => {
    const merchant = await newMerchant(service);
    await merchant.charge("pm_card_visa");
    const context = whileOthersAreMissing(service.context, merchant);
    const telemetry = createTelemetry({ role: "all" }, noTracing);
    telemetry.watch(context, { service: null, vault: null });
    const statements = await recordStatements(async () => {
      await claimDeliveries(context, {
        total: 1,
        perAccount: 1,
        perEndpoint: 1,
        perFailingEndpoint: 1,
        taken: new Map(),
      });
      await resumeAttempts(context);
      await requestResults(context, context.now());
      await processDueNotifications(context);
      await sweep(context);
      await reportCardTesting(context);
      expect(await telemetry.scrape()).toContain("oriel_database_up 1");
    });
    const owned = (await ownedTables()).join("|");
    const count = (text: string, pattern: RegExp) => [...text.matchAll(pattern)].length;
    const tablesIn = ({ text }: RecordedStatement) =>
      count(text, new RegExp(`\\b(?:from|join) "?(?:waiting_endpoint|${owned})\\b`, "g"));
    const { accountNo } = merchant.tenant;
    const ofAllAccounts = statements.filter((one) => tablesIn(one) > 0 && !one.values.includes(accountNo));
    expect(ofAllAccounts.length).toBeGreaterThan(15);
    const isComplete = (one: RecordedStatement) => count(one.text, /"?account_no"? = any\(/g) >= tablesIn(one);
    expect(ofAllAccounts.filter((one) => !isComplete(one)).map(({ text }) => text)).toEqual([]);
  });

  it.each([
    ["update attempt set calls = 1", ["attempt"]],
    ['select 1 from "charge" for no key update', ["charge"]],
    ["with due as (select id from delivery for update skip locked) delete from event", ["event", "delivery"]],
    ["insert into feed_queue values (1) on conflict do nothing", ["feed_queue"]],
    ["select 1 from attempt", []],
  ])("locks or changes rows of the right tables: %s", (text, tables) => {
    expect(changedTables(text)).toEqual(tables);
  });
});
