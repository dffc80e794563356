import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:net";
import { fileURLToPath } from "node:url";
import { afterEach, expect, onTestFinished, test, vi } from "vitest";
import { freePort } from "../../../scripts/test/free-port.ts";
import { listenLocally } from "../../../scripts/test/listen-locally.ts";
import { temporaryDirectory } from "../../../scripts/test/temporary-directory.ts";
import { cardRequest } from "../test/bank-client.ts";

const main = fileURLToPath(new URL("./main.ts", import.meta.url));
const keys = { BANK_API_KEY: "one-api-key", BANK_RESULTS_KEY: "one-results-key" };

vi.setConfig({ testTimeout: 30_000 }); // each test starts processes, and the machine may be busy

const children: ChildProcess[] = [];
afterEach(() => {
  for (const child of children.splice(0)) child.kill("SIGKILL");
});

function start(env: Record<string, string>) {
  const child = spawn(process.execPath, [main], { env, stdio: ["ignore", "pipe", "pipe"] });
  const output = { text: "" };
  child.stdout.on("data", (chunk: Buffer) => (output.text += chunk));
  child.stderr.on("data", (chunk: Buffer) => (output.text += chunk));
  children.push(child);
  return { child, output, exit: once(child, "close").then(([code]: unknown[]) => code) };
}

test.each(["SIGTERM", "SIGINT"] as const)(
  "prints one line that says where it listens, responds, and exits on %s",
  async (signal) => {
    const BANK_PORT = String(await freePort());
    const bank = start({ ...keys, BANK_PORT });
    await once(bank.child.stdout, "data");
    const health = await fetch(`http://127.0.0.1:${BANK_PORT}/healthz`);
    expect([health.status, await health.json()]).toEqual([200, { status: "ok" }]);

    bank.child.kill(signal);
    expect(await bank.exit).toBe(0);
    expect(bank.output.text).toBe(
      `The test bank is listening on http://127.0.0.1:${BANK_PORT}. Pages: http://bank.localhost:${BANK_PORT}. Ledger: in memory.\n`,
    );
    expect(bank.output.text).not.toContain("ready");
  },
);

test("loses nothing that it has responded to if it's killed at any moment", async () => {
  const directory = temporaryDirectory(onTestFinished);
  const env = { ...keys, BANK_PORT: String(await freePort()), BANK_DATA_DIR: directory };
  const url = `http://127.0.0.1:${env.BANK_PORT}/acquirer`;
  const headers = { authorization: `Bearer ${keys.BANK_API_KEY}`, "content-type": "application/json" };
  const send = async (path: string, body: object) =>
    (await fetch(`${url}/${path}`, { method: "POST", headers, body: JSON.stringify(body) })).json();

  const first = start(env);
  await once(first.child.stdout, "data");
  const request = cardRequest("4242424242424242", { capture: false });
  await send("authorizations", request);
  await send("captures", { reference: "capture-1", authorization: request.reference, amount: 4000 });
  let responses = 0;
  const refunds = Array.from({ length: 200 }, async (_, index) => {
    await send("refunds", { reference: `refund-${index}`, authorization: request.reference, amount: 1 });
    responses += 1;
    if (responses === 20) first.child.kill("SIGKILL");
  });
  const outcomes = await Promise.allSettled(refunds);
  await first.exit;

  const second = start(env);
  await once(second.child.stdout, "data");
  for (const [index, outcome] of outcomes.entries()) {
    if (outcome.status === "rejected") continue;
    const found = await fetch(`${url}/refunds/refund-${index}`, { headers });
    expect(await found.json()).toMatchObject({ status: "approved", requests: 1 });
  }
  // The bank's own list.
  const stored = (await (await fetch(`${url}/refunds`, { headers })).json()) as { refunds: unknown[] };
  const authorization = await (await fetch(`${url}/authorizations/${request.reference}`, { headers })).json();
  expect(responses).toBeGreaterThanOrEqual(20);
  expect(authorization).toMatchObject({ amount_captured: 4000, amount_refunded: stored.refunds.length });
});

test("exits at once with a message and no stack trace when it has no key", async () => {
  const bank = start({ BANK_API_KEY: "one" });
  expect(await bank.exit).toBe(1);
  expect(bank.output.text).toMatch(/^Set BANK_RESULTS_KEY to .*\n$/);
});

test("exits with a message that names the port when the port is in use", async () => {
  const { port, close } = await listenLocally(createServer());
  onTestFinished(close);
  const bank = start({ ...keys, BANK_PORT: String(port) });
  expect(await bank.exit).toBe(1);
  expect(bank.output.text).toContain(String(port));
  expect(bank.output.text).not.toContain("    at ");
});
