/**
 * Tests a Citus cluster that loses a worker, and one that moves accounts between workers, while accounts on both take
 * payments. Every acknowledged payment is counted.
 *
 * `ORIEL_CITUS_STOP` and `ORIEL_CITUS_START` are shell commands that end a worker at once, and start it again. They get its
 * host and port in the variable `NODE`. Without them, the first test is skipped.
 */
import { execFile } from "node:child_process";
import { setTimeout as pause } from "node:timers/promises";
import { promisify } from "node:util";
import { sql } from "kysely";
import { afterEach, describe, expect, inject, it } from "vitest";
import { closersFor } from "../../../scripts/test/closers-for.ts";
import { reportCardTesting, sweep } from "../src/worker.ts";
import { readLedger } from "./setup/bank-ledger.ts";
import { onServer } from "./setup/create-database.ts";
import { newMerchant, order, type Merchant } from "./setup/merchant.ts";
import { freshDatabase, startTestService, type ApiResponse, type TestService } from "./setup/test-service.ts";
import { until } from "./setup/until.ts";
import { newWebhookEndpoint, type TestEndpoint } from "./setup/webhook-endpoint.ts";
import { startWebhookReceiver } from "./setup/webhook-receiver.ts";

const { ORIEL_CITUS_STOP: stopCommand, ORIEL_CITUS_START: startCommand } = process.env;
const accountsPerNode = 2;
const moves = 10;
/** Until then, the accounts of other nodes may get errors after a node was lost. */
const noticedWithinMs = 5_000;
const testMs = 600_000;

const closers = closersFor(afterEach);
const run = promisify(execFile);

interface Shop {
  merchant: Merchant;
  endpoint: TestEndpoint;
  node: string;
}

interface Failure {
  shop: Shop;
  status: number;
  code: string;
  atMs: number;
}

async function open(): Promise<{ service: TestService; url: string; shops: Shop[]; nodes: string[] }> {
  const database = await freshDatabase(closers, inject("migratedTemplate") ?? undefined);
  if (database.kind !== "postgres") throw new Error("Bug: this needs a cluster");
  const service = await startTestService({ database, risk: "account_velocity=99999/h:challenge" });
  closers.push(() => service.close());
  const receiver = await startWebhookReceiver();
  closers.push(() => receiver.close());
  const { rows } = await sql<{ name: string }>`
    select nodename || ':' || nodeport as name from pg_dist_node where groupid <> 0 order by 1`.execute(
    service.context.db,
  );
  const nodes = rows.map(({ name }) => name);
  const shops: Shop[] = [];
  const of = (node: string) => shops.filter((shop) => shop.node === node);
  while (nodes.some((node) => of(node).length < accountsPerNode)) {
    const merchant = await newMerchant(service);
    const node = await nodeOf(service, merchant);
    if (of(node).length === accountsPerNode) continue;
    shops.push({ merchant, node, endpoint: await newWebhookEndpoint(merchant, receiver) });
  }
  return { service, url: database.url, shops, nodes };
}

async function nodeOf({ context }: TestService, { tenant }: Merchant): Promise<string> {
  const { rows } = await sql<{ name: string }>`
    select nodename || ':' || nodeport as name from pg_dist_placement join pg_dist_node using (groupid)
    where shardid = get_shard_id_for_distribution_column('charge', ${tenant.accountNo}::bigint)`.execute(context.db);
  return rows[0]?.name ?? "";
}

/** Pays at every shop, one payment after another, each repeated under its key until it succeeds. */
function startPaying(shops: readonly Shop[]) {
  const failures: Failure[] = [];
  const charges = new Map<Shop, string[]>(shops.map((shop) => [shop, []]));
  const stopping = new AbortController();
  const givingUp = new AbortController();
  let count = 0;

  async function succeed(shop: Shop, path: string, body: object): Promise<string> {
    const key = `key-${++count}`;
    for (;;) {
      const response: ApiResponse = await shop.merchant.call("POST", `/api/v1/${path}`, body, {
        "idempotency-key": key,
      });
      if (response.status === 200) return String(response.body["id"]);
      const code = String(response.body["error"]?.["code"]);
      failures.push({ shop, status: response.status, code, atMs: performance.now() });
      await pause(200, undefined, { signal: givingUp.signal });
    }
  }

  const loops = shops.map(async (shop) => {
    while (!stopping.signal.aborted) {
      const payment = { ...order, payment_method_id: "pm_card_visa" };
      const decision_id = await succeed(shop, "decisions", payment);
      charges.get(shop)?.push(await succeed(shop, "charges", { ...payment, decision_id }));
    }
  });
  // After a failure of the test.
  closers.push(async () => {
    stopping.abort();
    givingUp.abort();
    await Promise.allSettled(loops);
  });
  return {
    failures,
    countOf: (shop: Shop) => charges.get(shop)?.length ?? 0,
    /** @returns the charges of each shop */
    async stop() {
      stopping.abort();
      await Promise.all(loops);
      return charges;
    },
  };
}

/** Compares every payment with the acquirer's records, the ledger, the feed and the webhooks. */
async function expectComplete(service: TestService, charges: ReadonlyMap<Shop, string[]>): Promise<void> {
  const { authorizations } = await readLedger(service);
  const acknowledged = [...charges.values()].flat();
  expect(authorizations.filter(({ status }) => status !== "declined")).toHaveLength(acknowledged.length);
  for (const [{ merchant, endpoint }, ids] of charges) {
    const { db } = service.context;
    const of = (table: "charge" | "ledger_entry") =>
      db
        .selectFrom(table)
        .select(sql<string>`coalesce(sum(amount), 0)`.as("sum"))
        .where("account_no", "=", merchant.tenant.accountNo);
    const found = await db
      .selectFrom("charge")
      .select(["id", "status"])
      .where("account_no", "=", merchant.tenant.accountNo)
      .execute();
    expect(new Set(found.map(({ id }) => id))).toEqual(new Set(ids));
    expect(found.filter(({ status }) => status !== "succeeded")).toEqual([]);
    const sum = String(ids.length * order.amount);
    expect(await of("charge").executeTakeFirst()).toEqual({ sum });
    expect(await of("ledger_entry").executeTakeFirst()).toEqual({ sum });
    const delivered = await until("the webhooks", () => {
      const about = endpoint.receivedSoFar().map(({ body }) => objectOf(JSON.parse(body)));
      return ids.every((id) => about.includes(id)) ? about : null;
    });
    expect(delivered.length).toBeGreaterThanOrEqual(ids.length);
    const feed = await readWholeFeed(merchant);
    for (const id of ids) expect(feed.filter((about) => about === id)).toHaveLength(1);
  }
  const { rows } = await sql`select gid from pg_prepared_xacts`.execute(service.context.db);
  expect(rows).toEqual([]);
}

/** @returns what each event of a charge is about, in the order of the feed */
async function readWholeFeed(merchant: Merchant): Promise<string[]> {
  const objects: string[] = [];
  for (let after = "start"; ;) {
    const events = await merchant.list(`events?after=${after}&limit=100`);
    objects.push(...events.map(objectOf));
    const last = events.at(-1);
    if (last === undefined) return objects;
    after = String(last["id"]);
  }
}

function objectOf(event: unknown): string {
  return (event as { data: { object: { id: string } } }).data.object.id; // every event has an object
}

const failedSteps = ({ log }: TestService) =>
  log.filter((line) =>
    /"(?:A background task|A step failed|A recovery step|Failed to|Background work failed)/.test(line),
  );

describe("a Citus cluster", () => {
  it.skipIf(stopCommand === undefined || startCommand === undefined)(
    "stops only the accounts of a lost worker, and serves them again when it's back",
    { timeout: testMs },
    async () => {
      const { service, shops, nodes } = await open();
      const [lost = ""] = nodes;
      const env = { ...process.env, NODE: lost };
      const others = shops.filter(({ node }) => node !== lost);
      const paying = startPaying(shops);
      await until("payments", () => (shops.every((shop) => paying.countOf(shop) >= 5) ? true : null));
      expect(paying.failures).toEqual([]);

      closers.push(() => run("sh", ["-c", startCommand ?? ""], { env }));
      await run("sh", ["-c", stopCommand ?? ""], { env });
      const lostAt = performance.now();
      await pause(noticedWithinMs);
      const before = others.map(paying.countOf);
      const steps = failedSteps(service).length;
      await sweep(service.context);
      await reportCardTesting(service.context);
      expect(await service.context.telemetry.scrape()).toContain("oriel_database_up 1");
      expect(await service.call("GET", "/readyz")).toMatchObject({
        status: 200,
        body: { status: "ok", missing_nodes: [lost] },
      });
      await pause(noticedWithinMs);
      const receivedBy = others.map(({ endpoint }) => endpoint.receivedSoFar().length);
      others.forEach((_shop, index) => expect(receivedBy[index]).toBeGreaterThan(before[index] ?? 0));
      others.forEach((shop, index) => expect(paying.countOf(shop)).toBeGreaterThan((before[index] ?? 0) + 3));
      expect(failedSteps(service).slice(steps)).toEqual([]);

      await run("sh", ["-c", startCommand ?? ""], { env });
      const startedAgain = shops.map(paying.countOf);
      await until("payments of all", () =>
        shops.every((shop, index) => paying.countOf(shop) >= (startedAgain[index] ?? 0) + 3) ? true : null,
      );
      await until("readiness", async () =>
        "missing_nodes" in (await service.call("GET", "/readyz")).body ? null : true,
      );
      const charges = await paying.stop();
      expect(paying.failures.filter(({ status }) => status !== 503)).toEqual([]);
      const ofOthers = paying.failures.filter(({ shop }) => shop.node !== lost);
      expect(ofOthers.map(({ atMs }) => atMs - lostAt).filter((afterMs) => afterMs > noticedWithinMs)).toEqual([]);
      await expectComplete(service, charges);
    },
  );

  it("moves accounts to another worker while they take payments", { timeout: testMs }, async () => {
    const { service, url, shops, nodes } = await open();
    const paying = startPaying(shops);
    const [shop] = shops;
    if (shop === undefined) throw new Error("Bug: no shop");
    for (let i = 0; i < moves; i++) {
      const paid = paying.countOf(shop);
      await until("payments", () => (paying.countOf(shop) > paid ? true : null));
      const source = await nodeOf(service, shop.merchant);
      const target = nodes.find((node) => node !== source) ?? "";
      await moveTo(shop.merchant, source, target);
      expect(await nodeOf(service, shop.merchant)).toBe(target);
    }
    const charges = await paying.stop();
    expect(paying.failures.filter(({ status }) => status !== 503)).toEqual([]);
    await expectComplete(service, charges);

    async function moveTo({ tenant }: Merchant, source: string, target: string): Promise<void> {
      const [sourceHost, sourcePort] = source.split(":");
      const [targetHost, targetPort] = target.split(":");
      // Takes longer than the service's statements may.
      await onServer(
        url,
        `select citus_move_shard_placement(get_shard_id_for_distribution_column('charge', ${tenant.accountNo}::bigint),
          '${sourceHost}', ${sourcePort}, '${targetHost}', ${targetPort})`,
      );
    }
  });
});
