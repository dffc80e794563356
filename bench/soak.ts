/**
 * `npm run bench -- soak`: thirteen minutes of a shop's usual traffic, with twenty sales a second: sessions, charges
 * with webhooks, refunds, reads and lists. Checks whether latency or memory in the last minute exceeds the first minute
 * after the warm-up, and whether every webhook arrived.
 */
import { openService } from "../trials/chaos/service.ts";
import { createClient } from "./api/client.ts";
import { scenarios, type Send } from "./api/scenarios.ts";
import { residentMb } from "./api/usage.ts";
import { describeMachine, describePostgres } from "./machine.ts";
import { percentile, printMeasurements, rounded, writeMeasurements, type Measurement } from "./measurement.ts";
import { openReceivers } from "./webhooks/receivers.ts";
import { doSteadily } from "./webhooks/steady-load.ts";

const salesPerSecond = 20;
const refundEvery = 4;
const arrivedWithinMs = 10_000;
const warmUpMinutes = 3;
const minutes = 10;
const connections = 16;
const timesBudget = 1.1;

interface Minute {
  /** Duration of each request, in milliseconds. */
  took: number[];
  /** The service's memory, sampled each second. */
  megabytes: number[];
}

export async function benchSoak(): Promise<void> {
  const service = await openService({ roles: ["all"] });
  const receivers = await openReceivers();
  const machine = { ...describeMachine(), ...(await describePostgres(service.db)) };
  const measurements: Measurement[] = [];
  try {
    const [all] = service.processes.all;
    if (all === undefined) throw new Error("Bug: no process");
    await all.start();
    const url = await receivers.open("good");
    const clients = Array.from({ length: connections }, () => createClient(all.apiUrl, service.secretKey));
    await clients[0]?.send("POST", "/webhook_endpoints", { url });
    const past: Minute[] = [];
    for (let minute = 1; minute <= warmUpMinutes + minutes; minute++) {
      const now: Minute = { took: [], megabytes: [] };
      const sends = clients.map(({ send }) => timed(send, now.took));
      const timer = setInterval(() => now.megabytes.push(residentMb([all.pid ?? 0])), 1000);
      const sales = Array.from(
        { length: salesPerSecond * 60 },
        (_, n) => () => sell(sends[n % connections] ?? sends[0], n),
      );
      await doSteadily(sales, salesPerSecond).finally(() => clearInterval(timer));
      await receivers.takeAll([url], countOfEvents(sales.length), arrivedWithinMs);
      past.push(now);
      const { p50, p99, memory } = summary(now);
      const phase = minute <= warmUpMinutes ? "warming up" : `minute ${minute - warmUpMinutes} of ${minutes}`;
      console.log(`${phase}: ${now.took.length} requests, median ${p50} ms, 99th percentile ${p99} ms, ${memory} MB`);
    }
    for (const { close } of clients) close();
    measurements.push(...compare(past.slice(warmUpMinutes)));
    if (service.processes.failures.length > 0)
      throw new Error("A process exited unexpectedly, so the figures are invalid.");
    writeMeasurements("soak", machine, measurements);
  } finally {
    printMeasurements(machine, measurements);
    const { failures } = service.processes;
    for (const what of failures) console.error(what);
    receivers.close();
    await service.close(failures.length > 0);
  }
}

/** There's one event for each charge and one for each refund. */
function countOfEvents(sales: number): number {
  return sales + Math.ceil(sales / refundEvery);
}

/** The operations of one sale. Every fourth sale has a refund. */
async function sell(send: Send | undefined, n: number): Promise<void> {
  if (send === undefined) throw new Error("Bug: no client");
  await scenarios.session.run(send, "");
  const id = String(await scenarios.charge.run(send, ""));
  await scenarios.retrieval.run(send, id);
  await scenarios.list.run(send, "");
  if (n % refundEvery === 0) await scenarios.refund.run(send, id);
}

function timed(send: Send, took: number[]): Send {
  return async (...request) => {
    const began = performance.now();
    const response = await send(...request);
    took.push(performance.now() - began);
    return response;
  };
}

function summary({ took, megabytes }: Minute) {
  const mean = megabytes.reduce((sum, one) => sum + one, 0) / megabytes.length;
  return { p50: rounded(percentile(took, 0.5)), p99: rounded(percentile(took, 0.99)), memory: Math.round(mean) };
}

function compare(past: readonly Minute[]): Measurement[] {
  const [first, last] = [past.at(0), past.at(-1)];
  if (first === undefined || last === undefined) throw new Error("There are no measurements.");
  const [before, after] = [summary(first), summary(last)];
  const times = (what: string, unit: Measurement["unit"], of: (one: typeof before) => number): Measurement => ({
    what,
    unit,
    value: of(after),
    floor: of(before),
    budget: rounded(of(before) * timesBudget),
  });
  return [
    times("memory of the service, last minute vs. first", "MB", ({ memory }) => memory),
    times("99th percentile, last minute vs. first", "ms", ({ p99 }) => p99),
    times("median, last minute vs. first", "ms", ({ p50 }) => p50),
    {
      what: `requests in ${minutes} minutes`,
      unit: "requests",
      value: past.reduce((sum, { took }) => sum + took.length, 0),
    },
  ];
}
