/** The service as `npm start` runs it, freshly built, with its own ports and data, and sessions to pay in it. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { createClient } from "@oriel/sdk";
import { freePort } from "../../scripts/test/free-port.ts";

export interface DemoService {
  checkoutOrigin: string;
  /** @returns its `embed_url`, for pages of that origin */
  openSession(allowedOrigin: string): Promise<string>;
  close(): Promise<void>;
}

const startWithinMs = 120_000;
const responseTimeoutMs = 10_000;

export async function startDemoService(): Promise<DemoService> {
  const directory = mkdtempSync(join(tmpdir(), "oriel-demo-"));
  const port = await freePort();
  const env = {
    PATH: process.env["PATH"],
    ORIEL_DATA_DIR: directory,
    ORIEL_PORT: String(port),
    BANK_PORT: String(await freePort()),
    SHOP_PORT: String(await freePort()),
    ORIEL_RATE_LIMIT: "off",
    ORIEL_FRAME_RATE_LIMIT: "off",
  };
  const child = spawn(process.execPath, ["scripts/start.ts"], { env, stdio: ["ignore", "pipe", "inherit"] });
  const ended = once(child, "exit");
  process.once("exit", () => {
    child.kill("SIGTERM"); // it stops the processes it started
    rmSync(directory, { recursive: true, force: true });
  });
  await waitUntilReady(child.stdout, ended);
  const secretKey = /^ORIEL_SECRET_KEY=(.+)$/m.exec(readFileSync(join(directory, "demo.env"), "utf8"))?.[1];
  if (secretKey === undefined) throw new Error(`There's no ORIEL_SECRET_KEY in ${directory}/demo.env.`);
  const oriel = createClient({ apiUrl: `http://127.0.0.1:${port}`, secretKey, totalTimeoutMs: responseTimeoutMs });
  return {
    checkoutOrigin: `http://pay.localhost:${port}`,
    async openSession(allowedOrigin) {
      const request = { amount: 4900, currency: "eur", allowed_origins: [allowedOrigin] };
      return (await oriel.checkoutSessions.create(request)).embed_url;
    },
    async close() {
      child.kill("SIGTERM");
      await ended;
      rmSync(directory, { recursive: true, force: true });
    },
  };
}

/** @throws Error with the output if it exits or takes too long */
async function waitUntilReady(output: NodeJS.ReadableStream, ended: Promise<unknown>): Promise<void> {
  const printed: string[] = [];
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const giveUp = (why: string) => reject(new Error(`\`npm start\` ${why}:\n${printed.slice(-20).join("\n")}`));
  const timer = setTimeout(() => giveUp("wasn't ready in time"), startWithinMs);
  createInterface({ input: output }).on("line", (line) => {
    printed.push(line);
    if (line.includes("ready: ")) resolve();
  });
  void ended.then(() => giveUp("ended"));
  await promise.finally(() => clearTimeout(timer));
}
