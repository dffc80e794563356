/**
 * `npm run bench -- NAME`: measures what we promise to be quick, on real processes and a real PostgreSQL (`size` needs
 * neither), beside budgets and beside floors: what the same machine does in the same run without us. Prints a table and
 * writes `bench/results/NAME.json`. Budgets that are missed are marked; the exit code says only whether it could be
 * measured, but for sizes, which no machine can be blamed for.
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
   * @param only one of its parts
   * @param runs instead of as many as it takes
   */
  run(only: string | null, runs?: number): Promise<void>;
}

const benchmarks: Record<string, Benchmark> = {
  size: {
    summary: "what everything that a browser fetches from us weighs, and what it is made of; fails above a budget",
    parts: sizeParts,
    run: benchSize,
  },
  api: {
    summary: "sessions, charges, refunds and lists in a closed loop, beside a bare loop that runs the same statements",
    parts: apiParts,
    run: benchApi,
  },
  dashboard: {
    summary: "what the dashboard's pages ask for, with a hundred thousand payments in the tables",
    parts: dashboardParts,
    run: benchDashboard,
  },
  growth: {
    summary: "what each endpoint costs with ten thousand payments in the tables, with a million and with five",
    parts: growthParts,
    run: benchGrowth,
  },
  soak: {
    summary: "thirteen minutes of mixed load: whether the last is slower than the first, or has more memory",
    parts: [],
    run: benchSoak,
  },
  webhooks: {
    summary:
      "how soon events arrive, how fast a queue of them drains, what bad endpoints do to good ones, and whether memory grows",
    parts: webhookParts,
    run: benchWebhooks,
  },
  mount: {
    summary:
      "how soon the form can be typed into, beside a bare form in a frame, on this machine and on a slow phone's line",
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

  --only PART   measures that part alone, and writes no results down
  --runs COUNT  of mount: visits so often, 1 to 1000; with fewer than it takes, writes no results down
  --help
`;

for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => process.exit(130)); // what was started ends with this process
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
