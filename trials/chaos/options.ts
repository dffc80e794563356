/** Options of a chaos run. */
import { parseArgs } from "node:util";

export interface MoneyOptions {
  /** The sandbox bank's own acquirer, or its simulator of Adyen. */
  acquirer: "sandbox" | "adyen";
  /**
   * `kills`: SIGKILL and a bank with faults. `restarts`: SIGTERM, one process after the other, and a bank without
   * faults. `failovers`: SIGKILL for the database, and a bank with faults.
   */
  mode: "kills" | "restarts" | "failovers";
  /** Number of kills, restarts or failovers. */
  count: number;
  /** Number of payments during which they happen. */
  payments: number;
  clients: number;
  seed: number;
  /** The bank always responds, even if late or with an error. Then no outcome may stay unknown for longer than promised. */
  alwaysResponds: boolean;
  apis: number;
  workers: number;
  /** Whether commits don't wait for the standby. A failover may then lose some, so the run only counts what is wrong. */
  asynchronous: boolean;
}

export interface WebhookOptions {
  mode: "webhooks";
  kills: number;
  /** Number of events to create during the kills. */
  events: number;
  clients: number;
  seed: number;
}

export type Options = MoneyOptions | WebhookOptions;

const usage = `npm run chaos [-- options]

Kills API and worker processes at random while clients pay, then compares every response with the bank's ledger.

  --kills N      number of SIGKILLs (default 200)
  --restarts [N] restart processes with SIGTERM, one after another, instead of killing them: three API processes and two workers (default 30)
  --payments N   number of payments during the kills or restarts (default 2000, with --restarts 600)
  --clients N    number of concurrent clients (default 64, with --restarts 12, with --webhooks 12)
  --answers      make the bank always respond, at most 1.5 s late or with an error, so that no outcome may be unknown for more than a minute
  --seed N       repeat the choices of an earlier run
  --help

npm run chaos -- --adyen [options]

The same with an account that has an acquirer account at the simulator of Adyen, whose outcomes arrive as notifications: late, twice and out of order. Also compares the ledger with Adyen's.

  --kills N      number of SIGKILLs (default 100)
  --payments N   number of payments during the kills (default 800)
  --clients N    number of concurrent clients (default 24)
  --seed

npm run chaos -- --failover [N] [options]

Kills the PostgreSQL primary N times (default 20), promotes its standby and makes a new standby.

  --asynchronous don't wait for the standby, and count what is lost instead of failing
  --payments N   number of payments during the failovers (default 800)
  --clients N    number of concurrent clients (default 24)
  --seed

npm run chaos -- --webhooks [options]

Kills the worker while it sends webhooks to good, slow, unreliable and dead endpoints, then checks that every subscribed endpoint got every event.

  --kills N      number of SIGKILLs (default 100)
  --events N     number of events to create during the kills (default 2000)
  --clients, --seed

The last line is the summary. The exit code is 0 only if every number in it is correct.
`;

const text = { type: "string" } as const;
const flag = { type: "boolean" } as const;

/** Returns null if it printed the help. @throws Error with a message for the user */
export function readOptions(args: string[]): Options | null {
  // The number after `--restarts` and `--failover` is optional.
  const optional: Partial<Record<string, number>> = {
    "--restarts": defaultsOfRestarts.kills,
    "--failover": defaultsOfFailovers.kills,
  };
  const whole = args.flatMap((arg, i) =>
    arg in optional && !/^\d/.test(args[i + 1] ?? "") ? [arg, String(optional[arg])] : [arg],
  );
  const { values } = parseArgs({
    args: whole,
    options: {
      webhooks: flag,
      adyen: flag,
      kills: text,
      restarts: text,
      failover: text,
      asynchronous: flag,
      answers: flag,
      events: text,
      payments: text,
      clients: text,
      seed: text,
      help: flag,
    },
  });
  if (values.help) {
    console.log(usage);
    return null;
  }
  const seed = read("--seed", values.seed, Math.floor(Math.random() * 1e9), { min: 0, max: 1e9 });
  if (values.webhooks) {
    if (values.restarts !== undefined || values.payments !== undefined || values.answers || values.adyen) {
      throw new Error(
        "--restarts, --payments, --answers and --adyen can't be used with --webhooks. Use --kills and --events.",
      );
    }
    return {
      mode: "webhooks",
      kills: read("--kills", values.kills, 100, { min: 1, max: 10_000 }),
      events: read("--events", values.events, 2000, { min: 10, max: 100_000 }),
      clients: read("--clients", values.clients, 12, { min: 1, max: 200 }),
      seed,
    };
  }
  if (values.events !== undefined) throw new Error("--events requires --webhooks.");
  if ([values.kills, values.restarts, values.failover].filter((value) => value !== undefined).length > 1)
    throw new Error("Use only one of --kills, --restarts and --failover.");
  if (values.failover !== undefined && (values.adyen || values.answers))
    throw new Error("--adyen and --answers can't be used with --failover.");
  if (values.asynchronous && values.failover === undefined) throw new Error("--asynchronous requires --failover.");
  if (values.adyen && (values.restarts !== undefined || values.answers))
    throw new Error("--restarts and --answers can't be used with --adyen. Use --kills.");
  const mode = values.failover !== undefined ? "failovers" : values.restarts !== undefined ? "restarts" : "kills";
  const { kills, payments, clients } = values.adyen ? defaultsAtAdyen : defaultsOf[mode];
  const clientCount = read("--clients", values.clients, clients, { min: 1, max: 200 });
  return {
    acquirer: values.adyen ? "adyen" : "sandbox",
    mode,
    count: read(
      `--${mode === "failovers" ? "failover" : mode}`,
      values.kills ?? values.restarts ?? values.failover,
      kills,
      { min: 1, max: 10_000 },
    ),
    payments: read("--payments", values.payments, payments, { min: clientCount, max: 20_000 }),
    clients: clientCount,
    seed,
    alwaysResponds: values.answers === true || mode === "restarts",
    apis: mode === "restarts" ? 3 : 2,
    workers: mode === "restarts" ? 2 : 1,
    asynchronous: values.asynchronous === true,
  };
}

const defaults = { kills: 200, payments: 2000, clients: 64 };
const defaultsOfRestarts = { kills: 30, payments: 600, clients: 12 };
const defaultsOfFailovers = { kills: 20, payments: 800, clients: 24 };
const defaultsOf = { kills: defaults, restarts: defaultsOfRestarts, failovers: defaultsOfFailovers };
/** Payments take longer there, and so does the end of a run. */
const defaultsAtAdyen = { kills: 100, payments: 800, clients: 24 };

function read(name: string, given: string | undefined, fallback: number, bounds: { min: number; max: number }): number {
  if (given === undefined) return fallback;
  const value = /^\d+(\.\d+)?$/.test(given) ? Number(given) : Number.NaN;
  if (value >= bounds.min && value <= bounds.max) return value;
  throw new Error(`${name} is ${JSON.stringify(given)}; it must be a number from ${bounds.min} to ${bounds.max}.`);
}
