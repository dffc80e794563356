/**
 * `npm run bench -- growth`: the latency of each endpoint with ten thousand, one million and five million payments.
 * Each size has its own PostgreSQL, database and process. They're measured alternately, so that a machine that slows
 * down affects all of them.
 */
import { join } from "node:path";
import { createChance } from "../scripts/chaos/chance.ts";
import { openService, type Service } from "../scripts/chaos/service.ts";
import { createClient } from "./api/client.ts";
import { runLoop } from "./api/closed-loop.ts";
import { fill, makeOriginal } from "./growth/fill.ts";
import { endpointsOf } from "./growth/endpoints.ts";
import { describeMachine, describePostgres } from "./machine.ts";
import { percentile, printMeasurements, writeMeasurements, type Measurement } from "./measurement.ts";
import { drawLines, writePlot } from "./plot.ts";

const sizes = { "10 thousand": 10_000, "1 million": 1_000_000, "5 million": 5_000_000 } as const;
type Size = keyof typeof sizes;
const smallest: Size = "10 thousand";

/** Sizes that are compared with the smallest. */
export const growthParts = Object.keys(sizes).filter((size) => size !== smallest);

/** Budget of a size, relative to the smallest. */
const timesBudget = 1.2;
const clients = 4;
/** Odd, so that the median is a measured value. */
const rounds = 9;
const seconds = 0.7;

/** @param only - Measures only this size and the smallest, and writes nothing to disk. */
export async function benchGrowth(only: string | null): Promise<void> {
  const chosen = (Object.keys(sizes) as Size[]).filter((size) => only === null || size === smallest || size === only);
  const grounds: Ground[] = [];
  const measurements: Measurement[] = [];
  const machine = describeMachine();
  try {
    for (const size of chosen) {
      const ground = await openGround(size);
      grounds.push(ground);
      Object.assign(machine, await describePostgres(ground.service.db));
    }
    measurements.push(...(await measure(grounds)));
    if (grounds.some(({ service }) => service.processes.surprises.length > 0))
      throw new Error("A process exited unexpectedly, so the figures are invalid.");
    if (only === null) {
      writeMeasurements("growth", machine, measurements);
      plot(measurements);
    }
  } finally {
    printMeasurements(machine, measurements);
    for (const { service, close } of grounds) {
      close();
      await service.close(service.processes.surprises.length > 0);
    }
  }
}

interface Ground {
  size: Size;
  service: Service;
  /** Operations by endpoint, one for each client, which repeats it. */
  work: Map<string, (() => Promise<unknown>)[]>;
  close(): void;
}

async function openGround(size: Size): Promise<Ground> {
  const service = await openService({ roles: ["api"], chance: createChance(sizes[size]) });
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
  const work: Ground["work"] = new Map();
  for (const { name, prepare, run } of endpointsOf(sizes[size], original, endpoint)) {
    const tasks = merchants.map(async ({ send }) => {
      const subject = (await prepare?.(send)) ?? "";
      return () => run(send, subject);
    });
    work.set(name, await Promise.all(tasks));
  }
  return { size, service, work, close: () => merchants.forEach(({ close }) => close()) };
}

/** Latency of each endpoint at each size, with a few clients. The median of the rounds. */
async function measure(grounds: readonly Ground[]): Promise<Measurement[]> {
  const measurements: Measurement[] = [];
  for (const name of grounds[0]?.work.keys() ?? []) {
    console.log(`Measuring: ${name}`);
    const took = new Map<Size, number[]>(grounds.map(({ size }) => [size, []]));
    for (let round = 0; round <= rounds; round++) {
      for (const { size, work } of round % 2 === 0 ? grounds : grounds.toReversed()) {
        const { perSecond } = await runLoop(work.get(name) ?? [], seconds);
        if (round > 0) took.get(size)?.push((clients * 1000) / perSecond); // the first round is a warm-up
      }
    }
    const at = (size: Size, share: number) => percentile(took.get(size) ?? [], share);
    const hundredth = (value: number) => Math.round(value * 100) / 100;
    const floor = hundredth(at(smallest, 0.5));
    for (const { size } of grounds) {
      if (size === smallest) continue;
      const quartiles: [number, number] = [hundredth(at(size, 0.25)), hundredth(at(size, 0.75))];
      const budget =
        size === growthParts.at(-1) && !name.endsWith(", anywhere") ? { budget: hundredth(floor * timesBudget) } : {};
      measurements.push({
        what: `${name}, ${size}`,
        unit: "ms",
        value: hundredth(at(size, 0.5)),
        quartiles,
        floor,
        ...budget,
      });
    }
  }
  return measurements;
}

/** Plots a line for each endpoint: its latency relative to the smallest size. */
function plot(measurements: readonly Measurement[]): void {
  const lines = new Map<string, [number, number][]>();
  for (const { what, value, floor = Number.NaN } of measurements) {
    const at = what.lastIndexOf(", ");
    const [name, size] = [what.slice(0, at), what.slice(at + 2) as Size];
    const points = lines.get(name) ?? [[sizes[smallest], 1]];
    points.push([sizes[size], value / floor]);
    lines.set(name, points);
  }
  const svg = drawLines({
    title: "Latency of each endpoint as the tables grow",
    x: { name: "payments in the tables", ticks: Object.entries(sizes).map(([label, value]) => ({ label, value })) },
    y: { name: "times the latency with 10 thousand", unit: "" },
    limit: timesBudget,
    lines: [...lines].map(([name, points]) => ({ name, points })),
  });
  writePlot(join(import.meta.dirname, "../docs/images/bench-growth.svg"), svg);
}
