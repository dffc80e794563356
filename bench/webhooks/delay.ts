/**
 * Delay until an event arrives at a good endpoint under light load: 20 charges a second, with one process for
 * everything and with a separate worker. The floor is the time that PostgreSQL and HTTP alone need: a `NOTIFY`, and a
 * POST when it arrives.
 */
import { setTimeout as pause } from "node:timers/promises";
import pg from "pg";
import type { Role } from "../../trials/chaos/processes.ts";
import { percentile, rounded, type Measurement } from "../measurement.ts";
import { createMerchant } from "./merchant.ts";
import { processOf, type Testbed } from "./setup.ts";
import { delaysOf, doSteadily } from "./steady-load.ts";

const perSecond = 20;
const seconds = 20;
const warmUpSeconds = 2;
const floorSeconds = 5;
const medianBudgetMs = 50;
const arrivedWithinMs = 30_000;

export async function measureDelay(testbed: Testbed): Promise<Measurement[]> {
  const floor = await measureFloor(testbed);
  const together = await measureWith(testbed, ["all"]);
  const apart = await measureWith(testbed, ["api", "worker"]);
  return [...figures("one process", together, floor), ...figures("API and worker in separate processes", apart, floor)];
}

function figures(where: string, delays: readonly number[], floor: readonly number[]): Measurement[] {
  const figure = (what: string, share: number) => ({
    what: `delay to receipt, ${where}, ${what}`,
    value: rounded(percentile(delays, share)),
    unit: "ms" as const,
    floor: rounded(percentile(floor, share)),
  });
  return [{ ...figure("median", 0.5), budget: medianBudgetMs }, figure("95%", 0.95), figure("99%", 0.99)];
}

async function measureWith(testbed: Testbed, roles: readonly Role[]): Promise<number[]> {
  const { service, receivers } = testbed;
  const processes = roles.map((role) => processOf(testbed, role));
  const [first] = processes;
  if (first === undefined) throw new Error("Bug: no process");
  await Promise.all(processes.map((one) => one.start()));
  const merchant = await createMerchant(service.db, first.apiUrl);
  const url = await receivers.open("good");
  await merchant.openEndpoint(url);

  const measure = async (forSeconds: number) => {
    const decisions = await merchant.approve(perSecond * forSeconds);
    await doSteadily(
      decisions.map((decision) => () => merchant.charge(decision)),
      perSecond,
    );
    return (await receivers.takeAll([url], decisions.length, arrivedWithinMs)).receipts;
  };
  await measure(warmUpSeconds);
  const delays = await delaysOf(service.db, await measure(seconds));
  await Promise.all(processes.map((one) => one.end("SIGTERM")));
  return delays;
}

/** Starts before `NOTIFY` is sent, because the measured delay starts before the commit. */
async function measureFloor({ service, receivers }: Testbed): Promise<number[]> {
  const url = await receivers.open("good");
  const [sender, listener] = [new pg.Client(service.databaseUrl), new pg.Client(service.databaseUrl)];
  await Promise.all([sender.connect(), listener.connect()]);
  const posts: Promise<unknown>[] = [];
  listener.on("notification", ({ payload = "" }) => {
    const headers = { "webhook-id": payload, "content-type": "application/json" };
    posts.push(fetch(url, { method: "POST", headers, body: "{}", signal: AbortSignal.timeout(arrivedWithinMs) }));
  });
  await listener.query("listen bench");
  const sentAt = new Map<string, number>();
  for (let n = 0; n < perSecond * floorSeconds; n++) {
    sentAt.set(String(n), performance.timeOrigin + performance.now());
    await sender.query("select pg_notify('bench', $1)", [String(n)]);
    await pause(1000 / perSecond);
  }
  const { receipts } = await receivers.takeAll([url], sentAt.size, arrivedWithinMs);
  await Promise.all(posts);
  await Promise.all([sender.end(), listener.end()]);
  return receipts.map(({ eventId, at }) => at - (sentAt.get(eventId) ?? Number.NaN));
}
