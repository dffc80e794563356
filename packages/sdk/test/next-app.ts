/**
 * Runs a small Next app in another process with `next dev`, and deletes it afterwards. Needs no network. The app can't
 * contain a test's function, so its `onEvent` calls a URL of the test.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

export interface NextApp {
  origin: string;
  /** Next's console output. */
  log: () => string;
  close: () => Promise<void>;
}

/** Inside the repository, so that the app finds its packages. Git and the linter ignore folders with this name. */
const parent = fileURLToPath(new URL("../dist", import.meta.url));
const nextCommand = createRequire(import.meta.url).resolve("next/dist/bin/next");
const startLimitMs = 50_000;

/**
 * @param files contents by path in the app
 * @param routes requested once before the app counts as started, because Next compiles a route on its first request
 */
export async function startNextApp(
  files: Record<string, string>,
  { routes, env }: { routes: readonly string[]; env: Record<string, string> },
): Promise<NextApp> {
  await mkdir(parent, { recursive: true });
  const folder = await mkdtemp(join(parent, "next-app-"));
  let child: ChildProcess | null = null;
  let log = "";
  const close = async () => {
    if (child) await stop(child);
    await rm(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
  };
  try {
    for (const [path, content] of Object.entries(files)) {
      await mkdir(dirname(join(folder, path)), { recursive: true });
      await writeFile(join(folder, path), content);
    }
    child = spawn(process.execPath, [nextCommand, "dev", "-p", "0", "-H", "127.0.0.1"], {
      cwd: folder,
      stdio: ["ignore", "pipe", "pipe"],
      env: {
        PATH: process.env["PATH"],
        HOME: folder,
        NODE_ENV: "development",
        NEXT_TELEMETRY_DISABLED: "1",
        NEXT_IGNORE_INCORRECT_LOCKFILE: "1",
        ...env,
      },
    });
    for (const stream of [child.stdout, child.stderr]) stream?.on("data", (text) => (log += String(text)));
    const origin = await readOrigin(child, () => log);
    for (const path of routes) await fetch(`${origin}${path}`, { signal: AbortSignal.timeout(startLimitMs) });
    return { origin, log: () => log, close };
  } catch (error) {
    await close();
    throw error;
  }
}

/** Reads the URL from Next's output. */
async function readOrigin(child: ChildProcess, log: () => string): Promise<string> {
  const limit = AbortSignal.timeout(startLimitMs);
  while (child.exitCode === null && !limit.aborted) {
    const found = /Local:\s+(http:\S+)[^]*Ready/.exec(log())?.[1];
    if (found !== undefined) return found;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error(`Next didn't start: ${log()}`);
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const gone = once(child, "exit");
  child.kill(); // Next ends its own child processes
  await gone;
}
