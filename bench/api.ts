/**
 * `npm run bench -- api`: the requests that merchants' servers make, in a closed loop, compared with a bare loop that
 * runs the same statements on the same PostgreSQL. The difference is HTTP, the bank (the sandbox, in its own process)
 * and the service's own work. Everything runs on one machine and shares its cores, and the two loops are measured
 * alternately.
 */
import { freePort } from "../scripts/test/free-port.ts";
import type { ServiceProcess } from "../trials/chaos/processes.ts";
import { openService, type Service } from "../trials/chaos/service.ts";
import { createClient } from "./api/client.ts";
import { runLoop, type Pace } from "./api/closed-loop.ts";
import { recordScenarios, type Recording } from "./api/recording.ts";
import { openReplay } from "./api/replay.ts";
import { scenarios, type ScenarioName } from "./api/scenarios.ts";
import { cpuMs, openPostgresUsage, residentMb } from "./api/usage.ts";
import { describeMachine, describePostgres } from "./machine.ts";
import { percentile, printMeasurements, rounded, writeMeasurements, type Measurement } from "./measurement.ts";

/** Promised share of the bare loop's throughput, and promised factor for the slowest percentile with eight clients. */
const shares: Partial<Record<ScenarioName, number>> = { charge: 0.25, session: 0.35 };
const timesOfP99: Partial<Record<ScenarioName, number>> = { charge: 4 };

const clientCounts = [8, 32] as const;
const processCounts = { "one process": 1, "three processes": 3 } as const;
const rounds = 3;
const seconds = 3;
const warmUpSeconds = 2;
/** Warm-up before the first row of a part, because V8 compiles lazily in new processes. */
const firstWarmUpSeconds = 15;

export const apiParts = Object.keys(processCounts);

/** @param only - Runs only this part and writes nothing to disk. */
export async function benchApi(only: string | null): Promise<void> {
  const service = await openService({ roles: ["all", "all", "all"] });
  const machine = { ...describeMachine(), ...(await describePostgres(service.db)) };
  const measurements: Measurement[] = [];
  try {
    const env = { ...service.env, ORIEL_PORT: String(await freePort()) };
    const recordings = await recordScenarios(env, service.secretKey, scenarios);
    for (const [part, count] of Object.entries(processCounts)) {
      if (only !== null && only !== part) continue;
      const processes = service.processes.all.slice(0, count);
      await Promise.all(processes.map((one) => one.start()));
      let warmUp = firstWarmUpSeconds;
      for (const [name, recording] of Object.entries(recordings) as [ScenarioName, Recording][]) {
        for (const clients of clientCounts) {
          console.log(`Measuring ${part}: ${scenarios[name].name}, ${clients} clients`);
          measurements.push(...(await measure(service, { part, processes, name, recording, clients, warmUp })));
          warmUp = warmUpSeconds;
        }
      }
      await Promise.all(processes.map((one) => one.end("SIGTERM")));
    }
    if (service.processes.failures.length > 0)
      throw new Error("A process exited unexpectedly, so the figures are invalid.");
    if (only === null) writeMeasurements("api", machine, measurements);
  } catch (error) {
    console.error(error); // print it now, because stopping PostgreSQL cuts connections, which causes more errors
    throw error;
  } finally {
    printMeasurements(machine, measurements);
    const { failures } = service.processes;
    for (const what of failures) console.error(what);
    await service.close(failures.length > 0);
  }
}

interface MeasurementPlan {
  part: string;
  processes: readonly ServiceProcess[];
  name: ScenarioName;
  recording: Recording;
  clients: number;
  /** Unmeasured warm-up seconds of each side. */
  warmUp: number;
}

async function measure(
  service: Service,
  { part, processes, name, recording, clients, warmUp }: MeasurementPlan,
): Promise<Measurement[]> {
  const scenario = scenarios[name];
  const merchants = Array.from({ length: clients }, (_, n) =>
    createClient(processes[n % processes.length]?.apiUrl ?? "", service.secretKey),
  );
  const subjects = await Promise.all(merchants.map(async ({ send }) => (await scenario.prepare?.(send)) ?? ""));
  const replays = await Promise.all(subjects.map((subject) => openReplay(service.databaseUrl, recording, subject)));
  const ours = merchants.map(
    ({ send }, n) =>
      () =>
        scenario.run(send, subjects[n] ?? ""),
  );
  const bare = replays.map((replay) => () => replay.run());
  await runLoop(bare, warmUp);
  await runLoop(ours, warmUp);

  const paces: Record<"ours" | "bare", Pace[]> = { ours: [], bare: [] };
  const pids = processes.map(({ pid }) => pid ?? 0);
  const databaseMs = await openPostgresUsage(service.db);
  const used = { service: 0, database: 0, bank: 0 };
  for (let round = 0; round < rounds; round++) {
    paces.bare.push(await runLoop(bare, seconds));
    const before = [cpuMs(pids), databaseMs(), cpuMs([service.bank.pid])] as const;
    paces.ours.push(await runLoop(ours, seconds));
    used.service += cpuMs(pids) - before[0];
    used.database += databaseMs() - before[1];
    used.bank += cpuMs([service.bank.pid]) - before[2];
  }
  for (const { close } of merchants) close();
  await Promise.all(replays.map((replay) => replay.close()));

  const median = (all: readonly Pace[], of: (pace: Pace) => number) => percentile(all.map(of), 0.5);
  const compared = (unit: Measurement["unit"], of: (pace: Pace) => number) => ({
    unit,
    value: median(paces.ours, of),
    floor: median(paces.bare, of),
  });
  const share = shares[name];
  const times = clients === clientCounts[0] ? timesOfP99[name] : undefined;
  const pace = compared("/s", ({ perSecond }) => perSecond);
  const slowest = compared("ms", ({ p99 }) => p99);
  const operations = paces.ours.reduce((sum, { took }) => sum + took.length, 0);
  const each = (ms: number) => rounded(ms / operations);
  return [
    {
      what: `${scenario.name}, ${clients} clients, ${part}`,
      ...pace,
      ...(share !== undefined && { budget: rounded(pace.floor * share) }),
    },
    { what: "  median", ...compared("ms", ({ p50 }) => p50) },
    { what: "  95%", ...compared("ms", ({ p95 }) => p95) },
    { what: "  99%", ...slowest, ...(times !== undefined && { budget: rounded(slowest.floor * times) }) },
    { what: "  CPU time of the service per operation", unit: "ms", value: each(used.service) },
    { what: "  CPU time of PostgreSQL per operation", unit: "ms", value: each(used.database) },
    { what: "  CPU time of the bank per operation", unit: "ms", value: each(used.bank) },
    { what: "  memory of the service", unit: "MB", value: residentMb(pids) },
  ];
}
