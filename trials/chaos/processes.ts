/**
 * The processes under test, run as an operator would run them: several `oriel-server serve --role api|worker|all` on
 * one PostgreSQL, with shared key files. Each process logs to a file that outlives a kill. A process that exits
 * unexpectedly is reported.
 */
import { execFile, spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { createWriteStream } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { freePort } from "../../scripts/test/free-port.ts";

export type Role = "api" | "worker" | "all";

export interface ServiceProcess {
  readonly name: string;
  readonly role: Role;
  /** URL of its API. A worker has none. */
  readonly apiUrl: string;
  readonly checkoutUrl: string;
  readonly state: "down" | "starting" | "ready";
  /** When it was last started. */
  readonly startedAt: Date;
  /** Each period in which it was ready. The end is null while it still is. */
  readonly readyTimes: readonly { from: number; to: number | null }[];
  /** Null while it's down. */
  readonly pid: number | null;
  /** Resolves once it's ready, or was killed before that. */
  start(): Promise<void>;
  /**
   * `SIGKILL` ends it at once. `SIGTERM` lets it finish its work first. Resolves to the exit code, or null if a signal
   * ended it.
   */
  end(signal: "SIGKILL" | "SIGTERM"): Promise<number | null>;
}

export interface Processes {
  all: readonly ServiceProcess[];
  /** Processes that serve the API. */
  apis: readonly ServiceProcess[];
  /** Processes that exited unexpectedly or with an error. */
  failures: string[];
  /** Runs an `oriel` command and waits until it exits. @returns its output */
  run(...args: string[]): Promise<string>;
  /** The same with an input. */
  runWith(input: string, ...args: string[]): Promise<string>;
  close(): Promise<void>;
}

const cli = new URL("../../packages/server/src/cli.ts", import.meta.url).pathname;
const startTimeoutMs = 90_000;
/** Longer than a request waits for the bank. */
const stopTimeoutMs = 45_000;

export interface ProcessOptions {
  /** The role of each process. */
  roles: readonly Role[];
  /** Environment variables of every process. */
  env: NodeJS.ProcessEnv;
  logDirectory: string;
}

export async function createProcesses({ roles, env, logDirectory }: ProcessOptions): Promise<Processes> {
  const failures: string[] = [];
  const all: ServiceProcess[] = [];
  for (const role of roles) {
    const name = `${role} ${all.filter((one) => one.role === role).length + 1}`;
    all.push(createProcess(name, role, await freePort(), { env, logDirectory, failures }));
  }
  const runWith = async (input: string, ...args: string[]) => {
    const running = promisify(execFile)(process.execPath, [cli, ...args], { env });
    running.child.stdin?.end(input);
    return (await running).stdout;
  };
  return {
    all,
    apis: all.filter(({ role }) => role !== "worker"),
    failures,
    run: (...args) => runWith("", ...args),
    runWith,
    close: async () => void (await Promise.all(all.map((one) => one.end("SIGTERM")))),
  };
}

type ProcessParts = Omit<ProcessOptions, "roles"> & Pick<Processes, "failures">;

function createProcess(
  name: string,
  role: Role,
  port: number,
  { env, logDirectory, failures }: ProcessParts,
): ServiceProcess {
  const log = createWriteStream(join(logDirectory, `${name.replace(" ", "-")}.log`), { flags: "a" });
  const checkoutUrl = `http://localhost:${port}`;
  const settings = { ...env, ORIEL_PORT: String(port), ORIEL_CHECKOUT_ORIGIN: checkoutUrl };
  let child: ChildProcess | null = null;
  let state: ServiceProcess["state"] = "down";
  let startedAt = new Date();
  const readyTimes: { from: number; to: number | null }[] = [];
  process.once("exit", () => child?.kill("SIGKILL"));

  return {
    name,
    role,
    apiUrl: `http://127.0.0.1:${port}`,
    checkoutUrl,
    get state() {
      return state;
    },
    get startedAt() {
      return startedAt;
    },
    readyTimes,
    get pid() {
      return child?.pid ?? null;
    },
    async start() {
      const started = spawn(process.execPath, [cli, "serve", "--role", role], {
        env: settings,
        stdio: ["ignore", "pipe", "pipe"],
      });
      child = started;
      state = "starting";
      startedAt = new Date();
      log.write(`\n-- started as ${started.pid}\n`);
      const { promise, resolve, reject } = Promise.withResolvers<void>();
      const timer = setTimeout(
        () => reject(new Error(`${name} wasn't ready within ${startTimeoutMs / 1000} s`)),
        startTimeoutMs,
      );
      for (const stream of [started.stdout, started.stderr]) {
        stream.on("data", (chunk: Buffer) => {
          log.write(chunk);
          if (state !== "starting" || child !== started || !/Listening on|"Working"/.test(chunk.toString())) return;
          state = "ready";
          readyTimes.push({ from: Date.now(), to: null });
          resolve();
        });
      }
      started.once("exit", (code, signal) => {
        log.write(`\n-- exited with ${signal ?? code}\n`);
        if (child === started) failures.push(`${name} exited unexpectedly with ${signal ?? code}`);
        resolve();
      });
      await promise.finally(() => clearTimeout(timer));
    },
    async end(signal) {
      const ending = child;
      if (ending === null) return 0;
      child = null; // from now on, its exit is expected
      state = "down";
      const ready = readyTimes.at(-1);
      if (ready !== undefined) ready.to ??= Date.now();
      if (ending.exitCode !== null || ending.signalCode !== null) return ending.exitCode;
      ending.kill(signal);
      const timer = setTimeout(() => {
        failures.push(`${name} didn't stop within ${stopTimeoutMs / 1000} s of SIGTERM`);
        ending.kill("SIGKILL");
      }, stopTimeoutMs);
      await once(ending, "exit");
      clearTimeout(timer);
      return ending.exitCode;
    },
  };
}
