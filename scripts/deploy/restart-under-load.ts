/**
 * Restarts both API processes and the worker with SIGTERM, one after another, while merchants and customers send a
 * fixed number of requests per second through nginx. Nobody retries: each request that gets no response, or a response
 * that isn't 200, counts as failed. At the end, every event must have arrived as a webhook.
 */
import { once } from "node:events";
import { readdirSync, readFileSync } from "node:fs";
import { createServer, type IncomingMessage } from "node:http";
import { Agent, request, type RequestOptions } from "node:https";
import { buffer } from "node:stream/consumers";
import { setTimeout as pause } from "node:timers/promises";
import type { FramePayment } from "@oriel/protocol/frame";
import { completeChallenge } from "../../packages/server/test/setup/at-the-bank.ts";
import { cardNumbers, openCheckout, type Reached } from "../../packages/server/test/setup/customer.ts";
import type { ApiResponse, Json } from "../../packages/server/test/setup/test-service.ts";

export interface Options {
  key: string;
  /** How often every process is restarted. */
  rounds: number;
  /** Requests per second. */
  rate: number;
  /** How long an API process serves after SIGTERM. */
  drainSeconds: number;
  /** Runs a command in the Debian system. */
  start: (command: string) => void;
}

/** How many customers and merchants are busy at the same time, at most. */
const clients = 60;
const quietMs = 5_000;

/** @returns whether no request failed and no webhook was lost */
export async function restartUnderLoad({ key, rounds, rate, ...settings }: Options): Promise<boolean> {
  const agent = new Agent({ keepAlive: true, rejectUnauthorized: false });
  const tally = { requests: 0, payments: 0, failed: new Map<string, number>() };
  const received = new Map<string, number>();
  const receive = async (incoming: IncomingMessage) => {
    const { id } = JSON.parse((await buffer(incoming)).toString()) as { id: string }; // an event, which has an ID
    received.set(id, (received.get(id) ?? 0) + 1);
  };
  const receiver = createServer((incoming, response) => {
    void receive(incoming).finally(() => response.end());
  }).listen(4310, "127.0.0.1");

  const run = { hasEnded: false };
  const slots = createSlots(rate);
  const service: Reached = {
    bankUrl: "https://bank.example.com",
    call: (method, path, body) => send("api.example.com", method, path, body, key),
    frame: (method, path, body, token) => send("pay.example.com", method, path, body, token),
  };
  const created = await service.call("POST", "/api/v1/webhook_endpoints", { url: "http://127.0.0.1:4310/" });
  if (created.status !== 200) throw new Error(`The endpoint wasn't created: ${created.text}`);
  const beginning = feedOf(await service.call("GET", "/api/v1/events?after=now")).cursor;
  const startedAt = Date.now();
  const before = tally.requests;
  const busy = Array.from({ length: clients }, async (_, i) => {
    for (let round = i; !run.hasEnded; round++) await play(round).catch((error: unknown) => count(String(error)));
  });

  await pause(quietMs);
  const restarts: string[] = [];
  for (let round = 0; round < rounds; round++) {
    for (const port of [4001, 4002]) restarts.push(await restart(`api on ${port}`, { port, role: "api" }, settings));
    restarts.push(await restart("worker", { port: null, role: "worker" }, settings));
  }
  await pause(quietMs);
  run.hasEnded = true;
  const seconds = (Date.now() - startedAt) / 1000;
  const sent = tally.requests - before;
  await Promise.all(busy);

  const events = await listEvents(service, beginning);
  const missing = () => events.filter((id) => !received.has(id)).length;
  for (let waited = 0; missing() > 0 && waited < 60_000; waited += 500) await pause(500);
  receiver.close();
  agent.destroy();

  const failed = [...tally.failed.values()].reduce((sum, one) => sum + one, 0);
  const repeated = [...received.values()].reduce((sum, times) => sum + times - 1, 0);
  for (const line of restarts) console.log(`  ${line}`);
  console.log(
    `  ${sent} requests in ${seconds.toFixed(0)} s, ${(sent / seconds).toFixed(1)} per second, ${tally.payments} payments`,
  );
  console.log(`${failed === 0 ? "✓" : "✗"} failed requests: ${failed}`);
  for (const [why, times] of tally.failed) console.log(`    ${times} × ${why}`);
  console.log(
    `${missing() === 0 ? "✓" : "✗"} lost webhooks: ${missing()} of ${events.length} events, ${repeated} delivered twice`,
  );
  return failed === 0 && missing() === 0 && events.length > 0;

  /** Two of three merchants create a session and read it. The third's customer pays it, sometimes with a challenge. */
  async function play(round: number): Promise<void> {
    if (round % 3 > 0) {
      const session = await service.call("POST", "/api/v1/checkout_sessions", { amount: 4900, currency: "eur" });
      const { id } = (session.body as unknown as { session: { id: string } }).session; // the API documents it
      await service.call("GET", `/api/v1/checkout_sessions/${id}`);
      return;
    }
    const checkout = await openCheckout(service);
    const card = round % 2 === 0 ? cardNumbers.approved : cardNumbers.challenge;
    let payment = paymentOf(await checkout.pay(card));
    let isChallenged = false;
    for (let steps = 0; steps < 60; steps++) {
      const { id, status } = payment;
      if (status === "succeeded") return void (tally.payments += 1);
      if (status === "declined" || status === "requires_confirmation") break;
      if (status === "challenge" && !isChallenged) {
        isChallenged = true;
        await completeChallenge(service, payment as unknown as Json, { code: "111111" });
      } else if (status !== "three_ds") await pause(300);
      payment = paymentOf(await (status === "three_ds" ? checkout.authenticate(id) : checkout.payment(id)));
    }
    count(`a payment with ${card} stayed ${payment.status}`);
  }

  async function send(
    host: string,
    method: string,
    path: string,
    body?: unknown,
    token?: string,
  ): Promise<ApiResponse> {
    await slots();
    tally.requests += 1;
    const text = body === undefined ? undefined : JSON.stringify(body);
    const headers = {
      "user-agent": "load",
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
      ...(text === undefined ? {} : { "content-type": "application/json", "content-length": Buffer.byteLength(text) }),
      ...(host.startsWith("api") && method === "POST" ? { "idempotency-key": `load-${tally.requests}` } : {}),
      ...(host.startsWith("pay") ? { origin: "https://pay.example.com" } : {}),
    };
    try {
      const response = await exchange({ agent, host, method, path, headers }, text);
      if (response.status === 200) return response;
      count(`${method} ${kindOf(path)} ${response.status} ${response.text.replace(/\s+/g, " ").slice(0, 120)}`);
    } catch (error) {
      count(`${method} ${kindOf(path)} ${error instanceof Error ? error.message : String(error)}`);
    }
    throw new Counted();
  }

  function count(why: string): void {
    if (why !== String(new Counted())) tally.failed.set(why, (tally.failed.get(why) ?? 0) + 1);
  }
}

/** @throws Error if there is no response */
async function exchange(options: RequestOptions, text: string | undefined): Promise<ApiResponse> {
  const outgoing = request(options);
  outgoing.end(text);
  const [response] = (await once(outgoing, "response")) as [IncomingMessage];
  const read = (await buffer(response)).toString();
  const isJson = String(response.headers["content-type"]).startsWith("application/json");
  const body = isJson ? (JSON.parse(read) as Json) : {}; // the service's own response
  return { status: response.statusCode ?? 0, text: read, body, headers: {} };
}

async function listEvents(service: Reached, beginning: string): Promise<string[]> {
  const ids: string[] = [];
  for (let after = beginning; ;) {
    const page = await service.call("GET", `/api/v1/events?after=${after}&limit=100`);
    const { data, has_more, cursor } = feedOf(page);
    ids.push(...data.map(({ id }) => id));
    if (!has_more) return ids;
    after = cursor;
  }
}

/** Stops a process as systemd does, and starts it as docs/deploy.md does. @returns a line for the report */
async function restart(
  name: string,
  { port, role }: { port: number | null; role: string },
  { start, drainSeconds }: Pick<Options, "start" | "drainSeconds">,
): Promise<string> {
  const stopAt = Date.now();
  const pid = findProcess(role, port);
  process.kill(pid, "SIGTERM");
  while (isAlive(pid)) await pause(50);
  const startAt = Date.now();
  const env =
    port === null
      ? "ORIEL_METRICS_PORT=14000"
      : `ORIEL_PORT=${port} ORIEL_METRICS_PORT=1${port} ORIEL_DRAIN_SECONDS=${drainSeconds}`;
  start(`oriel-run env ${env} oriel-server serve --role ${role} >> /var/log/oriel-${port ?? role}.log 2>&1 &`);
  if (port === null) await pause(3_000);
  else while ((await fetch(`http://127.0.0.1:${port}/readyz`).catch(() => null))?.status !== 200) await pause(100);
  const took = (ms: number) => `${(ms / 1000).toFixed(1)} s`;
  return `${name} stopped in ${took(startAt - stopAt)}, started in ${took(Date.now() - startAt)}`;
}

// The API's contract and the iframe's document these types.
const paymentOf = ({ body }: ApiResponse) => body["payment"] as unknown as FramePayment;
const feedOf = ({ body }: ApiResponse) => body as unknown as FeedPage;

/** A failure that was counted already. */
class Counted extends Error {
  override readonly name = "Counted";
}

interface FeedPage {
  data: { id: string }[];
  has_more: boolean;
  cursor: string;
}

/** Returns a function that resolves at most `rate` times per second, at even intervals. */
function createSlots(rate: number): () => Promise<void> {
  let next = 0;
  return async () => {
    next = Math.max(next + 1000 / rate, performance.now());
    await pause(Math.max(0, next - performance.now()));
  };
}

function findProcess(role: string, port: number | null): number {
  for (const name of readdirSync("/proc").filter((entry) => /^\d+$/.test(entry))) {
    try {
      const command = readFileSync(`/proc/${name}/cmdline`, "utf8").split("\0").join(" ");
      if (!command.startsWith("node ") || !command.includes(`serve --role ${role}`)) continue;
      const env = readFileSync(`/proc/${name}/environ`, "utf8").split("\0");
      if (port === null || env.includes(`ORIEL_PORT=${port}`)) return Number(name);
    } catch {
      // it has exited
    }
  }
  throw new Error(`There is no process with the role ${role}`);
}

function isAlive(pid: number): boolean {
  try {
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, "utf8"));
  } catch {
    return false;
  }
}

const kindOf = (path: string) => path.replace(/[a-z]+_[0-9a-z]{33}/g, ":id").split("?")[0] ?? path;
