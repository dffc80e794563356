/** Runs the sandbox bank in a separate process that can be killed at any moment and restarted with the same records. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { freePort } from "../../../../scripts/test/free-port.ts";
import { bankKeys } from "./test-service.ts";

export interface BankProcess {
  url: string;
  /** Kills it without warning, like a power failure. */
  kill(): Promise<void>;
  /** The same port and the same records. */
  start(): Promise<void>;
  /** Stops it and removes its records. */
  close(): Promise<void>;
}

export async function startBankProcess(): Promise<BankProcess> {
  const port = await freePort();
  const dataDirectory = mkdtempSync(join(tmpdir(), "oriel-bank-"));
  const main = join(dirname(createRequire(import.meta.url).resolve("@oriel/sandbox")), "main.ts");
  const env = {
    BANK_PORT: String(port),
    BANK_DATA_DIR: dataDirectory,
    BANK_API_KEY: bankKeys.apiKey,
    BANK_RESULTS_KEY: bankKeys.resultsKey,
  };
  let child: ReturnType<typeof spawn> | null = null;

  const bank: BankProcess = {
    url: `http://127.0.0.1:${port}`,
    async start() {
      const started = spawn(process.execPath, [main], { env, stdio: ["ignore", "pipe", "inherit"] });
      child = started;
      await new Promise<void>((resolve, reject) => {
        started.stdout.once("data", () => resolve()); // it prints one line, once it is listening
        started.once("exit", (code) => reject(new Error(`The bank ended with ${code}`)));
      });
    },
    async kill() {
      const running = child;
      child = null;
      if (running === null) return;
      running.kill("SIGKILL");
      await once(running, "exit");
    },
    async close() {
      await bank.kill();
      rmSync(dataDirectory, { recursive: true, force: true });
    },
  };
  await bank.start();
  return bank;
}
