/**
 * Whether sending leaks memory: as many events as possible to good and bad endpoints, with the worker's memory sampled
 * each second. A Node process grows until its first major garbage collections, so what matters is whether it still
 * grows in the second half.
 */
import { readFileSync } from "node:fs";
import type { Measurement } from "../measurement.ts";
import { failingEndpoints } from "./failing-endpoints.ts";
import { createMerchant } from "./merchant.ts";
import { processOf, type Testbed } from "./setup.ts";

const goodEndpointCount = 16;
const seconds = 45;
const eventsAtOnce = 160;
const timesBudget = 1.2;

export async function measureMemory(testbed: Testbed): Promise<Measurement[]> {
  const { service, receivers } = testbed;
  const [api, worker] = [processOf(testbed, "api"), processOf(testbed, "worker")];
  await Promise.all([api.start(), worker.start()]);
  const merchant = await createMerchant(service.db, api.apiUrl);
  const good = await Promise.all(Array.from({ length: goodEndpointCount }, () => receivers.open("good")));
  const bad = await Promise.all(failingEndpoints.map((behavior) => receivers.open(behavior)));
  for (const url of [...good, ...bad]) await merchant.openEndpoint(url);

  const memory = watchMemory(worker.pid);
  const endsAt = Date.now() + seconds * 1000;
  while (Date.now() < endsAt) await merchant.makeEvents(eventsAtOnce);
  const megabytes = memory.stop();
  const { receipts } = await receivers.take(good);
  await Promise.all([api.end("SIGTERM"), worker.end("SIGKILL")]); // with SIGTERM the worker would wait for the tar pit
  const half = megabytes[Math.floor(megabytes.length / 2)] ?? Number.NaN;
  const last = megabytes.at(-1) ?? Number.NaN;
  return [
    { what: `worker's memory, at the start`, value: megabytes.at(0) ?? Number.NaN, unit: "MB" },
    { what: `  halfway through`, value: half, unit: "MB" },
    { what: `  at the end, after ${receipts.length} deliveries`, value: last, unit: "MB" },
    {
      what: `  at the end vs. halfway through`,
      value: Math.round((last / half) * 100) / 100,
      unit: "times",
      budget: timesBudget,
    },
  ];
}

/** Resident memory in megabytes, sampled each second. NaN on systems without /proc. */
export function watchMemory(pid: number | null): { stop(): number[] } {
  const megabytes: number[] = [];
  const read = () => {
    try {
      const kilobytes = /^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1];
      megabytes.push(Math.round(Number(kilobytes) / 1024));
    } catch {
      megabytes.push(Number.NaN);
    }
  };
  read();
  const timer = setInterval(read, 1000);
  return {
    stop() {
      clearInterval(timer);
      read();
      return megabytes;
    },
  };
}
