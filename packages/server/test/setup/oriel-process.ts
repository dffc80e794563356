/** Runs our commands as people type them, in a separate process, and waits for lines of their output. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Closers } from "../../../../scripts/test/closers-for.ts";
import { until } from "./until.ts";

export interface OrielProcess {
  /** Everything on stdout and stderr so far, in order. */
  said(): string;
  /** Resolves once the pattern has been printed that many times. */
  says(pattern: RegExp, count?: number): Promise<RegExpExecArray>;
  /** @returns its exit code, or null if the signal ended it */
  stop(signal: NodeJS.Signals): Promise<number | null>;
  /** Waits until it exits without a signal. Returns its exit code. */
  end(): Promise<number | null>;
}

const oriel = new URL("../../../cli/src/cli.ts", import.meta.url).pathname;
const orielServer = new URL("../../src/cli.ts", import.meta.url).pathname;
const serviceWithoutPages = new URL("./api-process.ts", import.meta.url).pathname;

/** The environment of the processes. It caches compiled code, because a command spends most of its time loading. */
export const processEnv: NodeJS.ProcessEnv = {
  PATH: process.env["PATH"],
  NODE_COMPILE_CACHE: join(tmpdir(), "oriel-compile-cache"),
};

/** @param closers receives a function that ends the process if it still runs */
export function startOriel(args: string[], env: NodeJS.ProcessEnv, closers: Closers): OrielProcess {
  return start([oriel, ...args], env, closers);
}

/** @param closers receives a function that ends the process if it still runs */
export function startOrielServer(args: string[], env: NodeJS.ProcessEnv, closers: Closers): OrielProcess {
  return start([orielServer, ...args], env, closers);
}

/** Like `oriel-server serve --role ROLE`, but without the pages, which may not have been built. */
export function startServiceProcess(role: "api" | "worker", env: NodeJS.ProcessEnv, closers: Closers): OrielProcess {
  return start([serviceWithoutPages, role], env, closers);
}

function start(args: string[], env: NodeJS.ProcessEnv, closers: Closers): OrielProcess {
  const child = spawn(process.execPath, args, {
    env: { ...processEnv, ...env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let said = "";
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding("utf8").on("data", (text: string) => (said += text));
  const closed = once(child, "close");
  const end = async () => {
    await closed;
    return child.exitCode;
  };
  const stop = async (signal: NodeJS.Signals) => {
    child.kill(signal);
    return await end();
  };
  closers.push(() => stop("SIGKILL"));
  return {
    said: () => said,
    async says(pattern, count = 1) {
      const all = new RegExp(pattern.source, `${pattern.flags.replace("g", "")}g`);
      return await until(`oriel to print ${pattern.source} (it printed: ${said})`, () => {
        const found = [...said.matchAll(all)];
        if (found.length >= count) return found[count - 1] ?? null;
        if (child.exitCode !== null) throw new Error(`oriel ended with ${child.exitCode} and had said:\n${said}`);
        return null;
      });
    },
    stop,
    end,
  };
}
