/** What a run of the chaos test was asked to be. */
import { parseArgs } from "node:util";

export interface MoneyOptions {
  /**
   * `kills`: kill -9 and a bank in trouble. `restarts`: SIGTERM, one process after the other, and a bank that is well.
   */
  mode: "kills" | "restarts";
  /** How many kills, or restarts. */
  count: number;
  /** The time they are spread over. */
  minutes: number;
  clients: number;
  seed: number;
  /** The bank answers every question, if late; then no outcome may stay unknown for longer than is promised. */
  answers: boolean;
  apis: number;
  workers: number;
}

export interface WebhookOptions {
  mode: "webhooks";
  kills: number;
  /** How many events are made while the kills last. */
  events: number;
  clients: number;
  seed: number;
}

export type Options = MoneyOptions | WebhookOptions;

const usage = `npm run chaos [-- options]

Kills API and worker processes at random while clients pay, and then compares every answer with the bank's own books.

  --kills N      how often a process is killed with SIGKILL (default 200)
  --restarts [N] instead, stop processes with SIGTERM and start them again, one after the other, three of the API and two workers (default 30)
  --minutes M    the time that the kills or restarts are spread over (default 6.5, with --restarts 2)
  --clients N    how many clients there are at once (default 64, with --restarts 12, with --webhooks 12)
  --answers      the bank answers every question, at most 1.5 s late; then no outcome may be unknown for more than a minute
  --seed N       makes the same choices as an earlier run
  --help

npm run chaos -- --webhooks [options]

Kills the worker while it sends webhooks to good, slow, moody and dead endpoints, and then looks for every event at every endpoint that wants it.

  --kills N      how often the worker is killed with SIGKILL (default 100)
  --events N     how many events are made meanwhile (default 2000)
  --clients, --seed

The last line counts. The exit code is 0 only when every number in it is as it must be.
`;

const text = { type: "string" } as const;
const flag = { type: "boolean" } as const;

/** @throws Error with a sentence. Null: help was asked for, and printed. */
export function readOptions(args: string[]): Options | null {
  // `--restarts` may stand without its number.
  const whole = args.flatMap((arg, i) =>
    arg === "--restarts" && !/^\d/.test(args[i + 1] ?? "") ? [arg, "30"] : [arg],
  );
  const { values } = parseArgs({
    args: whole,
    options: {
      webhooks: flag,
      kills: text,
      restarts: text,
      answers: flag,
      events: text,
      minutes: text,
      clients: text,
      seed: text,
      help: flag,
    },
  });
  if (values.help) {
    console.log(usage);
    return null;
  }
  const seed = read("--seed", values.seed, Math.floor(Math.random() * 1e9), { least: 0, most: 1e9 });
  if (values.webhooks) {
    if (values.restarts !== undefined || values.minutes !== undefined || values.answers) {
      throw new Error(
        "--webhooks takes --kills and --events; --restarts, --minutes and --answers are for the run about money.",
      );
    }
    return {
      mode: "webhooks",
      kills: read("--kills", values.kills, 100, { least: 1, most: 10_000 }),
      events: read("--events", values.events, 2000, { least: 10, most: 100_000 }),
      clients: read("--clients", values.clients, 12, { least: 1, most: 200 }),
      seed,
    };
  }
  if (values.events !== undefined) throw new Error("--events goes with --webhooks.");
  if (values.kills !== undefined && values.restarts !== undefined)
    throw new Error("Take --kills or --restarts, not both.");
  const isKills = values.restarts === undefined;
  return {
    mode: isKills ? "kills" : "restarts",
    count: read("--kills or --restarts", values.kills ?? values.restarts, 200, { least: 1, most: 10_000 }),
    minutes: read("--minutes", values.minutes, isKills ? 6.5 : 2, { least: 0.1, most: 600 }),
    clients: read("--clients", values.clients, isKills ? 64 : 12, { least: 1, most: 200 }),
    seed,
    answers: values.answers === true || !isKills,
    apis: isKills ? 2 : 3,
    workers: isKills ? 1 : 2,
  };
}

function read(
  name: string,
  given: string | undefined,
  fallback: number,
  bounds: { least: number; most: number },
): number {
  if (given === undefined) return fallback;
  const value = /^\d+(\.\d+)?$/.test(given) ? Number(given) : Number.NaN;
  if (value >= bounds.least && value <= bounds.most) return value;
  throw new Error(`${name} is ${JSON.stringify(given)}; it must be a number from ${bounds.least} to ${bounds.most}.`);
}
