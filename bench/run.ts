/**
 * `npm run bench -- NAME`: measures performance on real processes and a real PostgreSQL (`size` needs neither),
 * compared with budgets and with floors, which are what the same machine achieves in the same run without Oriel. Prints
 * a table and writes `bench/results/NAME.json`. Missed budgets are marked. The exit code only says whether measuring
 * succeeded. Only `size`, which doesn't depend on the machine, fails on a missed budget.
 */
import { parseArgs } from "node:util";
import { apiParts, benchApi } from "./api.ts";
import { benchDashboard, dashboardParts } from "./dashboard.ts";
import { benchGrowth, growthParts } from "./growth.ts";
import { benchMount, mountParts } from "./mount.ts";
import { benchSize, sizeParts } from "./size.ts";
import { benchSoak } from "./soak.ts";
import { benchWebhooks, webhookParts } from "./webhooks.ts";

interface Benchmark {
  summary: string;
  parts: readonly string[];
  /**
   * @param only - Runs only this part.
   * @param runs - Number of runs instead of the default.
   */
  run(only: string | null, runs?: number): Promise<void>;
}

const benchmarks: Record<string, Benchmark> = {
  size: {
    summary: "size and contents of everything that a browser fetches from us; fails if a budget is exceeded",
    parts: sizeParts,
    run: benchSize,
  },
  api: {
    summary: "sessions, charges, refunds and lists in a closed loop, compared with the same SQL statements alone",
    parts: apiParts,
    run: benchApi,
  },
  dashboard: {
    summary: "the dashboard's requests with 100,000 payments",
    parts: dashboardParts,
    run: benchDashboard,
  },
  growth: {
    summary: "latency and CPU time of each endpoint with ten thousand, one million and five million payments",
    parts: growthParts,
    run: benchGrowth,
  },
  soak: {
    summary: "growth of latency and memory during thirteen minutes of mixed load",
    parts: [],
    run: benchSoak,
  },
  webhooks: {
    summary: "event delay, queue throughput, effect of bad endpoints on good ones, and memory growth",
    parts: webhookParts,
    run: benchWebhooks,
  },
  mount: {
    summary:
      "time until the form accepts input, compared with a bare form in an iframe, on this machine and a slow phone",
    parts: mountParts,
    run: benchMount,
  },
};

const usage = `npm run bench -- NAME [--only PART] [--runs COUNT]

${Object.entries(benchmarks)
  .map(
    ([name, { summary, parts }]) =>
      `  ${name}  ${summary}${parts.length > 0 ? `\n    parts: ${parts.join(", ")}` : ""}`,
  )
  .join("\n")}

  --only PART   measure only this part, without saving the results
  --runs COUNT  number of visits for mount, 1 to 1000; with fewer than the default, results aren't saved
  --help
`;

// Exit handlers stop the processes that were started.
for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => process.exit(130));
process.exitCode = await main().catch((error: unknown) => {
  console.error(error);
  return 1;
});
process.exit();

async function main(): Promise<number> {
  const options = { only: { type: "string" }, runs: { type: "string" }, help: { type: "boolean" } } as const;
  let parsed;
  try {
    parsed = parseArgs({ options, allowPositionals: true });
  } catch (error) {
    console.error(error instanceof Error ? error.message : error);
    return 2;
  }
  const { values, positionals } = parsed;
  if (values.help) {
    console.log(usage);
    return 0;
  }
  const [name = "", ...more] = positionals;
  const benchmark = Object.hasOwn(benchmarks, name) ? benchmarks[name] : undefined;
  const only = values.only ?? null;
  const runs = values.runs;
  const isRefused = runs !== undefined && (name !== "mount" || !/^([1-9]\d{0,2}|1000)$/.test(runs));
  if (benchmark === undefined || more.length > 0 || isRefused || (only !== null && !benchmark.parts.includes(only))) {
    console.error(usage);
    return 2;
  }
  await benchmark.run(only, runs === undefined ? undefined : Number(runs));
  return 0;
}
