/**
 * How bad endpoints affect good ones. Twenty good endpoints are measured alone, then with a tar pit, one that responds
 * 500, one that redirects and one with an endless body, then with ten more tar pits. The first measurement is repeated
 * at the end, because a machine's speed varies. The endpoints belong to two merchants, and each merchant's events go to
 * all of its endpoints. The load is constant: five charges a second for each merchant.
 */
import { setTimeout as pause } from "node:timers/promises";
import { percentile, rounded, type Measurement } from "../measurement.ts";
import { failingEndpoints } from "./failing-endpoints.ts";
import { watchMemory } from "./memory.ts";
import { createMerchant, type Merchant } from "./merchant.ts";
import type { Behavior } from "./receivers.ts";
import { processOf, type Testbed } from "./setup.ts";
import { delaysOf, doSteadily } from "./steady-load.ts";

const merchants = 2;
/** Good endpoints of each merchant. */
const goodEndpointCount = 10;
const moreTarPits = 10;
/** Charges per second for each merchant. */
const perSecond = 5;
const warmUpSeconds = 4;
/** Seconds of the measurement without bad endpoints, which runs at the start and at the end. */
const aloneSeconds = 8;
const secondsWithBad = 16;
/** Longer than the timeout of an attempt. */
const tarPitLetsGoMs = 16_000;
const timesBudget = 1.5;
const arrivedWithinMs = 30_000;

export async function measureIsolation(testbed: Testbed): Promise<Measurement[]> {
  const { service, receivers } = testbed;
  const [api, worker] = [processOf(testbed, "api"), processOf(testbed, "worker")];
  await Promise.all([api.start(), worker.start()]);
  const shops: Merchant[] = [];
  for (let n = 0; n < merchants; n++) shops.push(await createMerchant(service.db, api.apiUrl));
  const good = await openEndpoints(Array<Behavior>(goodEndpointCount * merchants).fill("good"));
  await measure(warmUpSeconds);

  const before = await measure(aloneSeconds);
  const bad = await openEndpoints(failingEndpoints);
  const memory = watchMemory(worker.pid);
  const withBad = percentile(await measure(secondsWithBad), 0.95);
  const megabytes = memory.stop();
  for (const { shop, id } of bad) await shop.setStatus(id, "disabled");
  await pause(tarPitLetsGoMs);
  const alone = percentile([...before, ...(await measure(aloneSeconds))], 0.95);

  for (const { shop, id } of bad) await shop.setStatus(id, "enabled");
  await openEndpoints(Array<Behavior>(moreTarPits).fill("tar-pit"));
  const withMore = percentile(await measure(secondsWithBad), 0.95);
  // Not SIGTERM, because then the worker would wait for the tar pits.
  await Promise.all([api.end("SIGTERM"), worker.end("SIGKILL")]);
  const times = (value: number) => Math.round((value / alone) * 100) / 100;
  return [
    { what: "delay to 20 good endpoints, 95th percentile", value: rounded(alone), unit: "ms" },
    {
      what: "  with four bad endpoints (a tar pit, a 500, a redirect and an endless body)",
      value: rounded(withBad),
      unit: "ms",
    },
    { what: "  with four bad endpoints vs. without", value: times(withBad), unit: "times", budget: timesBudget },
    { what: "  with ten additional tar pits", value: rounded(withMore), unit: "ms" },
    { what: "  with ten additional tar pits vs. without bad endpoints", value: times(withMore), unit: "times" },
    {
      what: "  worker's memory with four bad endpoints, at the start",
      value: megabytes.at(0) ?? Number.NaN,
      unit: "MB",
    },
    {
      what: "  worker's memory with four bad endpoints, at the end",
      value: megabytes.at(-1) ?? Number.NaN,
      unit: "MB",
    },
    { what: "  worker's memory with four bad endpoints, maximum", value: Math.max(...megabytes), unit: "MB" },
  ];

  /** Opens the endpoints for the merchants in turn. */
  async function openEndpoints(all: readonly Behavior[]): Promise<{ shop: Merchant; id: string; url: string }[]> {
    const opened: { shop: Merchant; id: string; url: string }[] = [];
    for (const [n, behavior] of all.entries()) {
      const shop = shops[n % shops.length];
      if (shop === undefined) throw new Error("Bug: no merchant");
      const url = await receivers.open(behavior);
      opened.push({ shop, id: await shop.openEndpoint(url), url });
    }
    return opened;
  }

  /** The delay of each event at each good endpoint. */
  async function measure(forSeconds: number): Promise<number[]> {
    const decisions = await Promise.all(shops.map((shop) => shop.approve(perSecond * forSeconds)));
    // The list alternates between the merchants' endpoints.
    const charges = Array.from({ length: perSecond * forSeconds }, (_, n) =>
      shops.map((shop, s) => () => shop.charge(decisions[s]?.[n] ?? "")),
    ).flat();
    await doSteadily(charges, perSecond * shops.length);
    const urls = good.map(({ url }) => url);
    const { receipts } = await receivers.takeAll(urls, charges.length * goodEndpointCount, arrivedWithinMs);
    return await delaysOf(service.db, receipts);
  }
}
