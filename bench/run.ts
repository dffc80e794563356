/**
 * `npm run bench -- NAME`: measures what we promise to be quick, on real processes and a real PostgreSQL, beside budgets and beside floors: what
 * the same machine does in the same run without us. Prints a table and writes `bench/results/NAME.json`. Budgets that are missed are marked;
 * the exit code says only whether it could be measured.
 */
import { parseArgs } from "node:util";
import { benchWebhooks, webhookParts } from "./webhooks.ts";

interface Benchmark {
  summary: string;
  parts: readonly string[];
  /** @param only one of its parts */
  run(only: string | null): Promise<void>;
}

const benchmarks: Record<string, Benchmark> = {
  webhooks: {
    summary:
      "how soon events arrive, how fast a queue of them drains, what bad endpoints do to good ones, and whether memory grows",
    parts: webhookParts,
    run: benchWebhooks,
  },
};

const usage = `npm run bench -- NAME [--only PART]

${Object.entries(benchmarks)
  .map(([name, { summary, parts }]) => `  ${name}  ${summary}\n    parts: ${parts.join(", ")}`)
  .join("\n")}

  --only PART  measures that part alone, and writes no results down
  --help
`;

for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => process.exit(130)); // what was started ends with this process
process.exitCode = await main(process.argv.slice(2)).catch((error: unknown) => {
  console.error(error);
  return 1;
});
process.exit();

async function main(args: string[]): Promise<number> {
  const options = { only: { type: "string" }, help: { type: "boolean" } } as const;
  let parsed;
  try {
    parsed = parseArgs({ args, options, allowPositionals: true });
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
  if (benchmark === undefined || more.length > 0 || (only !== null && !benchmark.parts.includes(only))) {
    console.error(usage);
    return 2;
  }
  await benchmark.run(only);
  return 0;
}
