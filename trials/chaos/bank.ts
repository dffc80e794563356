/**
 * The sandbox bank in its own process. It's never killed, so its ledger shows what really happened. During the run it
 * simulates faults: responses that are late, duplicate, garbled or missing, before or after the operation. At the end
 * the faults are removed.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import type { AttemptKind } from "../../packages/server/src/platform/storage/tables.ts";
import { fromSandbox, type SandboxRecords } from "../acquirer-records.ts";
import type { Acquirer } from "./check-acquirer.ts";

export type BankKind = "authorization" | "capture" | "cancel" | "refund";

/** The bank's operation for each kind of attempt. Nothing is reversed there, because the bank has a lookup. */
const bankKinds: Record<AttemptKind, BankKind> = {
  authorize: "authorization",
  verify: "authorization",
  capture: "capture",
  cancel: "cancel",
  refund: "refund",
  reverse: "cancel",
};

export interface BankProcess extends Acquirer {
  url: string;
  pid: number;
  /** @param alwaysResponds - The bank always responds, even if late or with an error. */
  addFaults(alwaysResponds: boolean): Promise<void>;
  /** @returns each fault's number of strikes */
  removeFaults(): Promise<Map<string, number>>;
  close(): Promise<void>;
}

export async function startBank(
  port: number,
  dataDirectory: string,
  keys: { api: string; results: string },
  more: NodeJS.ProcessEnv = {},
): Promise<BankProcess> {
  const main = join(dirname(createRequire(import.meta.url).resolve("@oriel/sandbox")), "main.ts");
  const env = {
    BANK_PORT: String(port),
    BANK_ORIGIN: `http://127.0.0.1:${port}`,
    BANK_DATA_DIR: dataDirectory,
    BANK_API_KEY: keys.api,
    BANK_RESULTS_KEY: keys.results,
    ...more,
  };
  const child = spawn(process.execPath, [main], { env, stdio: ["ignore", "pipe", "inherit"] });
  process.once("exit", () => child.kill("SIGKILL"));
  await new Promise<void>((resolve, reject) => {
    child.stdout.once("data", () => resolve()); // the bank prints one line once it's listening
    child.once("exit", (code) => reject(new Error(`The bank exited with ${code}`)));
  });

  const url = `http://127.0.0.1:${port}`;
  const call = async (method: string, path: string, body?: object, timeoutMs = 10_000) => {
    const response = await fetch(`${url}${path}`, {
      method,
      headers: {
        authorization: `Bearer ${keys.api}`,
        ...(body === undefined ? {} : { "content-type": "application/json" }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      signal: AbortSignal.timeout(timeoutMs),
    });
    if (!response.ok)
      throw new Error(`The bank responded ${response.status} to ${method} ${path}: ${await response.text()}`);
    return (await response.json()) as unknown;
  };
  return {
    url,
    pid: child.pid ?? 0,
    addFaults: async (alwaysResponds) =>
      void (await call("POST", "/sandbox/faults", {
        rules: faultRules().filter(({ fault }) => !alwaysResponds || !silent.has(fault)),
      })),
    async removeFaults() {
      const { rules } = (await call("GET", "/sandbox/faults")) as { rules: { fault: string; struck: number }[] };
      await call("DELETE", "/sandbox/faults");
      const struck = new Map<string, number>();
      for (const rule of rules) struck.set(rule.fault, (struck.get(rule.fault) ?? 0) + rule.struck);
      return struck;
    },
    async payments() {
      const kinds = ["authorizations", "captures", "cancels", "refunds"] as const;
      const lists = await Promise.all(kinds.map((kind) => call("GET", `/acquirer/${kind}`)));
      return fromSandbox(Object.assign({}, ...lists) as SandboxRecords); // each response has one list, with its own name
    },
    recordsDeclines: true,
    accepted: [],
    async countDecided(attempts) {
      const known = attempts.map(({ id, kind }) =>
        call("GET", `/acquirer/${bankKinds[kind]}s/${id}`, undefined, 1_000).then(
          () => true,
          () => false,
        ),
      );
      return (await Promise.all(known)).filter(Boolean).length;
    },
    async close() {
      child.kill("SIGTERM");
      await once(child, "exit");
    },
  };
}

interface Rule {
  match: { kind: string; probability: number };
  fault: string;
  ms?: number;
}

/** Without a response. */
const silent: ReadonlySet<string> = new Set(["timeout_before", "timeout_after", "down"]);

const moneyKinds: readonly BankKind[] = ["authorization", "capture", "cancel", "refund"];

/** Makes the bank respond late, after it has run the operation. A kill should hit the time in between. */
function late(kind: BankKind): Rule[] {
  return [
    { match: { kind, probability: 0.25 }, fault: "late", ms: 300 },
    { match: { kind, probability: 0.2 }, fault: "late", ms: 1_500 },
  ];
}

/** For each request, the bank draws the rules' probabilities one after the other, until a rule strikes. */
function faultRules(): Rule[] {
  const money = moneyKinds.flatMap((kind) => [
    { match: { kind, probability: 0.03 }, fault: "timeout_before" },
    { match: { kind, probability: 0.04 }, fault: "timeout_after" },
    { match: { kind, probability: 0.03 }, fault: "error_before" },
    { match: { kind, probability: 0.04 }, fault: "error_after" },
    { match: { kind, probability: 0.02 }, fault: "down" },
    { match: { kind, probability: 0.02 }, fault: "garbage" },
    { match: { kind, probability: 0.03 }, fault: "answer_twice" },
    ...late(kind),
  ]);
  const lookups = ["timeout_before", "error_before", "down", "garbage"].map((fault) => ({
    match: { kind: "lookup", probability: 0.03 },
    fault,
  }));
  return [...money, ...lookups, { match: { kind: "result", probability: 0.2 }, fault: "answer_twice" }];
}
