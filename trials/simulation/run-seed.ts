/** Runs the world of one seed until it's quiet, and compares. */
import { sweep } from "../../packages/server/src/worker.ts";
import { fromAdyen } from "../acquirer-records.ts";
import { isTrueReply } from "../cart.ts";
import { createChance } from "../chance.ts";
import { reconcile } from "../reconcile.ts";
import { countKinds, readRecords, type Records } from "../records.ts";
import { planAcquirerEvents } from "./acquirer-events.ts";
import { Customer } from "./customer.ts";
import { digestOf } from "./journal.ts";
import { MerchantServer, prices } from "./merchant.ts";
import { openWorld, startMs } from "./open-world.ts";
import { runUntil } from "./run-until.ts";
import type { SimulatedService } from "./service.ts";
import { emptyShop } from "./shop.ts";
import type { Order, World } from "./world.ts";

const dayMs = 24 * 3_600_000;
/** Longer than any deadline after which a person is notified. */
const quietMs = 40 * dayMs;

export interface SeedResult {
  seed: number;
  /** Each is a sentence. Empty: everything agrees. */
  differences: string[];
  /** What happened, line by line. */
  lines: string[];
  /** Same seed, same digests. */
  messages: string;
  ledger: string;
  /** How often each kind of thing happened, to show that the worlds are interesting. */
  seen: ReadonlyMap<string, number>;
}

export async function runSeed(service: SimulatedService, seed: number): Promise<SeedResult> {
  const world = openWorld(service, seed);
  planOrders(world);
  planAcquirerEvents(world);
  planSweeps(world);
  await runUntil(world, startMs + quietMs);
  const records = await readRecords(service.context.db, world.shop.tenant.accountNo);
  const differences = findDifferences(world, records);
  const ledger = records.entries.map(({ charge_id, kind, reference, amount, currency }) =>
    world.journal.normalize(`${charge_id} ${kind} ${reference} ${amount} ${currency}`),
  );
  const { lines } = world.journal;
  await emptyShop(service.pool, world.shop);
  const seen = countKinds(records);
  return { seed, differences, lines, messages: digestOf(lines), ledger: digestOf(ledger.toSorted()), seen };
}

function findDifferences({ acquirer, conditions, journal, ...world }: World, records: Records): string[] {
  const payments = [...acquirer.references].flatMap((reference) => acquirer.ledger.paymentsOf(reference));
  const evidence = {
    ...world,
    payments: payments.map(fromAdyen),
    recordsDeclines: false,
    sent: acquirer.sent,
    workersPaused: conditions.idleWorkers > 0,
  };
  return [...reconcile(evidence, records), ...untrueReplies(records)].map((difference) =>
    journal.normalize(difference),
  );
}

/** Codes that were accepted or rejected without the merchant having said so. */
function untrueReplies({ sessions }: Records): string[] {
  return sessions.flatMap(
    ({ id, promotion_code: code, promotion_code_status: status, promotion_code_reason: reason }) =>
      code === null || status === null || isTrueReply(prices, code, status, reason)
        ? []
        : [`untrueReplies: ${code} is ${status} in ${id}, which the merchant hasn't said`],
  );
}

const currencies = ["eur", "eur", "eur", "jpy", "clp", "idr"];

function planOrders(world: World): void {
  const chance = createChance(world.seed, "orders");
  const merchant = new MerchantServer(world);
  const customer = new Customer(world, merchant);
  const count = chance.pick([1, 1, 2, 2, 3]);
  for (let number = 1; number <= count; number++) {
    const order: Order = {
      number,
      amount: chance.between(5, 900) * 100,
      currency: chance.pick(currencies),
      captureMethod: chance.pick(["automatic", "manual"]),
      pressed: new Map(),
      decisions: new Set(),
      sessions: new Set(),
    };
    world.orders.push(order);
    const begin = chance.happens(0.5) ? () => merchant.charge(order) : () => customer.shop(order);
    world.schedule.plan(chance.between(0, 20_000), `order ${number}`, begin);
  }
}

/** The worker also sweeps now and then. Each sweep takes many statements. */
function planSweeps({ seed, schedule, service, act }: World): void {
  const chance = createChance(seed, "sweeps");
  const sweepOnce = async () => void (await act("sweep", () => sweep(service.context)));
  for (const withinMs of [60 * 60_000, 3 * dayMs])
    if (chance.happens(0.15)) schedule.plan(chance.between(0, withinMs), "sweep", sweepOnce);
}
