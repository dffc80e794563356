/**
 * `npm run bench -- growth`: the latency and CPU time of each endpoint with ten thousand, one million and five million
 * payments. Each size has its own PostgreSQL, database and process. They're measured alternately, so that a machine
 * that slows down affects all of them.
 */
import { openService, type Service } from "../trials/chaos/service.ts";
import { createClient } from "./api/client.ts";
import { runLoop } from "./api/closed-loop.ts";
import { cpuMs, openPostgresUsage } from "./api/usage.ts";
import { endpointsOf } from "./growth/endpoints.ts";
import { fill, makeOriginal } from "./growth/fill.ts";
import { describeMachine, describePostgres } from "./machine.ts";
import { percentile, printMeasurements, writeMeasurements, type Measurement } from "./measurement.ts";

const sizes = { "10 thousand": 10_000, "1 million": 1_000_000, "5 million": 5_000_000 } as const;
type Size = keyof typeof sizes;
const smallest: Size = "10 thousand";

/** Sizes that are compared with the smallest. */
export const growthParts = Object.keys(sizes).filter((size) => size !== smallest);

/** Budget of a size, relative to the smallest. */
const timesBudget = 1.2;
const clients = 4;
/** Many short rounds, so that other work on the machine affects every size. Odd, so that the median is a measured value. */
const roundCount = 31;
const seconds = 0.2;

/** @param only - Measures only this size and the smallest, and writes nothing to disk. */
export async function benchGrowth(only: string | null): Promise<void> {
  const chosen = (Object.keys(sizes) as Size[]).filter((size) => only === null || size === smallest || size === only);
  const testbeds: Testbed[] = [];
  const measurements: Measurement[] = [];
  const machine = describeMachine();
  try {
    for (const size of chosen) {
      const testbed = await openTestbed(size);
      testbeds.push(testbed);
      Object.assign(machine, await describePostgres(testbed.service.db));
    }
    measurements.push(...(await measure(testbeds)));
    if (testbeds.some(({ service }) => service.processes.failures.length > 0))
      throw new Error("A process exited unexpectedly, so the figures are invalid.");
    if (only === null) writeMeasurements("growth", machine, measurements);
  } finally {
    printMeasurements(machine, measurements);
    for (const { service, close } of testbeds) {
      close();
      await service.close(service.processes.failures.length > 0);
    }
  }
}

interface Testbed {
  size: Size;
  service: Service;
  /** Operations by endpoint, one for each client, which repeats it. */
  work: Map<string, (() => Promise<unknown>)[]>;
  /** Milliseconds that the service and PostgreSQL have used the CPU. */
  cpuMs(): number;
  close(): void;
}

async function openTestbed(size: Size): Promise<Testbed> {
  const service = await openService({ roles: ["api"] });
  const [api] = service.processes.all;
  if (api === undefined) throw new Error("Bug: no process");
  await api.start();
  const merchants = Array.from({ length: clients }, () => createClient(api.apiUrl, service.secretKey));
  const [first] = merchants;
  if (first === undefined) throw new Error("Bug: no client");
  const { endpoint, ...original } = await makeOriginal(first.send);
  const startedAt = Date.now();
  await fill(service.databaseUrl, original, sizes[size], (done) =>
    console.log(
      `Filling ${size}: ${done.toLocaleString("en")} payments after ${Math.round((Date.now() - startedAt) / 1000)} s`,
    ),
  );
  const work: Testbed["work"] = new Map();
  for (const { name, prepare, run } of endpointsOf(sizes[size], original, endpoint)) {
    const tasks = merchants.map(async ({ send }) => {
      const subject = (await prepare?.(send)) ?? "";
      return () => run(send, subject);
    });
    work.set(name, await Promise.all(tasks));
  }
  const databaseMs = await openPostgresUsage(service.db);
  return {
    size,
    service,
    work,
    cpuMs: () => cpuMs([api.pid ?? 0]) + databaseMs(),
    close: () => merchants.forEach(({ close }) => close()),
  };
}

/** Each endpoint at each size: its latency with a few clients, and the CPU time of one operation. */
async function measure(testbeds: readonly Testbed[]): Promise<Measurement[]> {
  const measurements: Measurement[] = [];
  for (const name of testbeds[0]?.work.keys() ?? []) {
    console.log(`Measuring: ${name}`);
    const [small, ...larger] = await runRounds(testbeds, name);
    if (small === undefined) throw new Error("Bug: nothing was measured");
    for (const large of larger) {
      const hasBudget = large.size === growthParts.at(-1) && !name.endsWith(", anywhere");
      const compare = (of: (rounds: Rounds) => number) => ({
        value: hundredth(of(large)),
        floor: hundredth(of(small)),
        ...(hasBudget ? { budget: hundredth(of(small) * timesBudget) } : {}),
      });
      const latency = (share: number) => (rounds: Rounds) => percentile(rounds.latencies, share);
      const quartiles: [number, number] = [hundredth(latency(0.25)(large)), hundredth(latency(0.75)(large))];
      const what = `${name}, ${large.size}`;
      measurements.push(
        { what, unit: "ms", quartiles, ...compare(latency(0.5)) },
        { what, unit: "ms of CPU", ...compare(({ cpuMs, operations }) => cpuMs / operations) },
      );
    }
  }
  return measurements;
}

interface Rounds {
  size: Size;
  /** Milliseconds of an operation, for each round. */
  latencies: number[];
  /** All rounds together. */
  cpuMs: number;
  operations: number;
}

/** Runs an endpoint's operation at each size in turn. */
async function runRounds(testbeds: readonly Testbed[], name: string): Promise<Rounds[]> {
  const results = testbeds.map((testbed) => ({ testbed, rounds: emptyRounds(testbed) }));
  for (let round = 0; round <= roundCount; round++) {
    for (const { testbed, rounds } of round % 2 === 0 ? results : results.toReversed()) {
      const before = testbed.cpuMs();
      const { perSecond, took } = await runLoop(testbed.work.get(name) ?? [], seconds);
      if (round === 0) continue; // a warm-up
      rounds.latencies.push((clients * 1000) / perSecond);
      rounds.cpuMs += testbed.cpuMs() - before;
      rounds.operations += took.length;
    }
  }
  return results.map(({ rounds }) => rounds);
}

function emptyRounds({ size }: Testbed): Rounds {
  return { size, latencies: [], cpuMs: 0, operations: 0 };
}

function hundredth(value: number): number {
  return Math.round(value * 100) / 100;
}
