/**
 * `npm start`: runs the service, the sandbox bank and the demo shop as separate processes with one log. Ctrl-C stops
 * all.
 *
 * For development and for trying Oriel out. It creates a demo merchant, allows webhooks to this machine, and listens on
 * loopback, or on all addresses. In production, run `oriel-server serve`.
 */
import { spawn, type ChildProcess } from "node:child_process";
import { randomBytes } from "node:crypto";
import { accessSync, constants, mkdirSync } from "node:fs";
import { createServer } from "node:net";
import { join, resolve } from "node:path";
import { createInterface } from "node:readline";
import { originAt } from "@oriel/http-listener/origin-at";
import { readLogins } from "./logins.ts";

const usage = `npm start   runs the service, the sandbox bank and the demo shop until Ctrl-C

Environment variables:
  ORIEL_PORT, BANK_PORT, SHOP_PORT   the ports, by default 4000, 4100 and 4242
  ORIEL_HOST                         the address to listen on, by default 127.0.0.1
  ORIEL_DATA_DIR                     where the data is kept, by default .oriel

Other variables are passed on to the service: docs/deploy.md lists them.`;

const [argument] = process.argv.slice(2);
if (argument === "--help") {
  console.log(usage);
  process.exit();
}
if (argument !== undefined) fail(`npm start doesn't take the argument ${JSON.stringify(argument)}.\n\n${usage}`);

const env = process.env;
const ports = { service: port("ORIEL_PORT", 4000), bank: port("BANK_PORT", 4100), shop: port("SHOP_PORT", 4242) };
const dataDir = env["ORIEL_DATA_DIR"] || ".oriel";
const host = env["ORIEL_HOST"] || "127.0.0.1";
const urls = {
  service: originAt(host, ports.service),
  bank: originAt(host, ports.bank),
  shop: originAt(host, ports.shop),
};
const startTimeoutMs = 60_000;
const stopTimeoutMs = 10_000;

if (env["ORIEL_LIVE"] === "1") {
  fail(
    "npm start runs a demo with test cards, so it doesn't support ORIEL_LIVE=1. Unset it. To take live payments, see docs/live-mode.md.",
  );
}

// Browsers resolve the names of the checkout and the dashboard, such as pay.localhost, to 127.0.0.1 and ::1 only.
if (!["127.0.0.1", "::1", "localhost", "0.0.0.0", "::"].includes(host)) {
  fail(
    `ORIEL_HOST is ${JSON.stringify(host)}, but browsers and webhooks reach the demo only at 127.0.0.1 and ::1. Unset it, or set it to 0.0.0.0 or :: to listen on all addresses.`,
  );
}

// The build writes to dist, and every process to the data directory.
for (const [directory, mode, todo] of [
  [dataDir, 0o700, "Set ORIEL_DATA_DIR to a directory that this user can write to."],
  ["dist", 0o755, "Run npm start in a copy of the repository that this user can write to."],
] as const) {
  try {
    mkdirSync(directory, { recursive: true, mode });
    accessSync(directory, constants.W_OK);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException; // thrown by node:fs
    fail(`npm start can't write to ${resolve(directory)} (${code}). ${todo}`);
  }
}
const { BANK_API_KEY: _apiKey, BANK_RESULTS_KEY: _resultsKey, ...others } = env;
const shared = {
  ...others,
  ORIEL_PORT: String(ports.service),
  BANK_PORT: String(ports.bank),
  SHOP_PORT: String(ports.shop),
  ORIEL_DATA_DIR: dataDir,
  ORIEL_HOST: host,
  ORIEL_API_URL: env["ORIEL_API_URL"] || urls.service,
  BANK_HOST: host,
  BANK_URL: env["BANK_URL"] || urls.bank,
  SHOP_HOST: host,
  ORIEL_WEBHOOKS_TO_LOOPBACK: "1",
};
/** Keys that the bank and its client share. Both start together, so each start can use new keys. */
const bankKeys = {
  BANK_API_KEY: env["BANK_API_KEY"] || randomBytes(24).toString("base64url"),
  BANK_RESULTS_KEY: env["BANK_RESULTS_KEY"] || randomBytes(24).toString("base64url"),
};

const children = new Map<string, ChildProcess>();
let stopping = false;
for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, () => void stop(0));

await refuseTakenPorts();
await runToEnd("build", ["scripts/build.ts"]);
startProcess("bank", ["packages/sandbox/src/main.ts"], { ...bankKeys, BANK_DATA_DIR: join(dataDir, "bank") });
await waitUntilUp("bank", `${urls.bank}/healthz`);
startProcess("service", ["packages/server/src/demo/serve-demo.ts"], bankKeys);
await waitUntilUp("service", `${urls.service}/readyz`);
startProcess("shop", ["demo/server/main.ts"], {
  ORIEL_DEMO_ENV: join(dataDir, "demo.env"),
  SHOP_DATA_DIR: join(dataDir, "shop"),
});
await waitUntilUp("shop", `${urls.shop}/healthz`);

say("oriel", `API reference  ${urls.service}/docs`);
for (const { what, email, password } of readLogins(dataDir))
  say("oriel", `${what.padEnd(8)} user  ${email}  ${password}  (for a sign-in code, run npm run codes)`);
say("oriel", `dashboard      ${env["ORIEL_DASHBOARD_ORIGIN"] || `http://dashboard.localhost:${ports.service}`}`);
say("oriel", `credentials    ${join(dataDir, "demo.env")}`);
say("oriel", `ready: buy something at ${env["SHOP_ORIGIN"] || `http://shop.localhost:${ports.shop}`}`);

/** Checks that the ports are free before anything starts, so that later responses on them come from our processes. */
async function refuseTakenPorts(): Promise<void> {
  const names = { service: "ORIEL_PORT", bank: "BANK_PORT", shop: "SHOP_PORT" } as const;
  if (new Set(Object.values(ports)).size < 3) fail("ORIEL_PORT, BANK_PORT and SHOP_PORT must be different ports.");
  for (const [name, variable] of Object.entries(names) as [keyof typeof names, string][]) {
    if (await isFree(ports[name])) continue;
    fail(
      `Port ${ports[name]} is in use. Is npm start already running? Stop the process that uses it, or set ${variable} to another port.`,
    );
  }
}

function isFree(candidate: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once("error", () => resolve(false));
    server.listen(candidate, host, () => server.close(() => resolve(true)));
  });
}

function fail(sentence: string): never {
  console.error(sentence);
  process.exit(1);
}

function startProcess(name: string, args: string[], more: Record<string, string>): void {
  const child = spawn(process.execPath, args, { env: { ...shared, ...more }, stdio: ["ignore", "pipe", "pipe"] });
  children.set(name, child);
  for (const stream of [child.stdout, child.stderr])
    createInterface({ input: stream }).on("line", (line) => say(name, readable(line)));
  child.once("exit", (code, signal) => {
    children.delete(name);
    if (stopping) return;
    say(name, `exited unexpectedly (${signal ?? `exit code ${code}`})`);
    void stop(1);
  });
}

function runToEnd(name: string, args: string[]): Promise<void> {
  const started = Date.now();
  return new Promise((resolve) => {
    const child = spawn(process.execPath, args, { env, stdio: ["ignore", "pipe", "pipe"] });
    children.set(name, child);
    for (const stream of [child.stdout, child.stderr])
      createInterface({ input: stream }).on("line", (line) => say(name, line));
    child.once("exit", (code) => {
      children.delete(name);
      if (stopping) return;
      if (code !== 0) return void stop(1);
      say(name, `browser bundles ready after ${((Date.now() - started) / 1000).toFixed(1)} s`);
      resolve();
    });
  });
}

async function waitUntilUp(name: string, url: string): Promise<void> {
  const giveUpAt = Date.now() + startTimeoutMs;
  while (Date.now() < giveUpAt) {
    if (stopping) await new Promise(() => {}); // a process exited unexpectedly, and stop() ends this one
    const ok = await fetch(url, { signal: AbortSignal.timeout(2_000) }).then(
      (response) => response.ok,
      () => false,
    );
    if (ok) return;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  say(name, `didn't respond at ${url} within ${startTimeoutMs / 1000} s`);
  await stop(1);
}

/** Stops every process, and kills those that don't exit. */
async function stop(exitCode: number): Promise<void> {
  if (stopping) return;
  stopping = true;
  const ended = [...children.values()].map((child) => new Promise((resolve) => child.once("exit", resolve)));
  for (const child of children.values()) child.kill("SIGTERM");
  const timer = setTimeout(() => {
    for (const child of children.values()) child.kill("SIGKILL");
  }, stopTimeoutMs);
  await Promise.all(ended);
  clearTimeout(timer);
  process.exit(exitCode);
}

/**
 * The service logs JSON lines. This prints them in a readable form: the time, the message and the most useful fields.
 */
function readable(line: string): string {
  if (!line.startsWith("{")) return line;
  let entry: Record<string, unknown>;
  try {
    entry = JSON.parse(line) as Record<string, unknown>; // pino wrote it
  } catch {
    return line;
  }
  const { time, level, msg, pid: _pid, hostname: _hostname, request_id: _requestId, ...details } = entry;
  const mark = Number(level) >= 50 ? "ERROR " : Number(level) >= 40 ? "warn " : "";
  const rest = Object.entries(details).map(
    ([name, value]) => `${name}=${typeof value === "string" ? value : JSON.stringify(value)}`,
  );
  return [new Date(Number(time)).toLocaleTimeString("en-GB"), `${mark}${String(msg)}`, ...rest].join("  ");
}

function say(name: string, text: string): void {
  console.log(`[${name.padEnd(7)}] ${text}`);
}

function port(name: string, fallback: number): number {
  const text = env[name] || String(fallback);
  if (/^\d{1,5}$/.test(text) && Number(text) > 0 && Number(text) < 65_536) return Number(text);
  return fail(`${name} is ${JSON.stringify(text)}; it must be a port number from 1 to 65535.`);
}
