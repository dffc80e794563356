/**
 * Starts a receiver's small server and sends it what a service and an attacker would send. It must take the genuine deliveries (2xx, and the event
 * printed) and nothing else: the rest gets 4xx, or its connection is cut.
 */
import { spawn, type ChildProcess } from "node:child_process";
import { createServer, connect } from "node:net";
import { setTimeout as pause } from "node:timers/promises";
import { folder, type Language } from "./languages.ts";
import { both, eventBody, ours, secrets, standard } from "./sign-delivery.ts";
import type { Outcome } from "./run-vectors.ts";

/** Go compiles first. */
const startTimeoutMs = 60_000;
const requestTimeoutMs = 10_000;

interface Trial {
  name: string;
  /** The event's, and in the body. */
  id: string;
  method: "GET" | "POST";
  headers: Record<string, string>;
  body: string;
  isTaken: boolean;
}

export async function tryServer(language: Language): Promise<Outcome> {
  const port = await freePort();
  const server = start(language, port);
  const trials = makeTrials(Math.floor(Date.now() / 1000));
  const statuses: (number | null)[] = [];
  try {
    const trouble = await waitUntilListening(server, port);
    if (trouble !== null) return { passed: 0, failures: [trouble] };
    for (const trial of trials) statuses.push(await send(trial, port));
  } finally {
    await server.end();
  }
  const failures = trials.flatMap((trial, i) => judge(trial, statuses[i] ?? null, server.output()));
  return { passed: trials.length - failures.length, failures };
}

/** Nothing, or a sentence. 501 is how a server says that it knows no GET. */
function judge({ name, id, isTaken }: Trial, status: number | null, output: string): string[] {
  const isAccepted = status !== null && status >= 200 && status < 300;
  const isRefused = status === null || (status >= 400 && status < 500) || status === 501;
  if (isTaken ? !isAccepted : !isRefused) return [`server, ${name}: answered ${status ?? "nothing"}`];
  if (output.includes(id) !== isTaken) return [`server, ${name}: the event was ${isTaken ? "not " : ""}taken`];
  return [];
}

function makeTrials(now: number): Trial[] {
  const trials: TrialParts[] = [
    { name: "both formats", isTaken: true, sign: (it) => both({ ...it, at: now }) },
    { name: "Standard Webhooks alone", isTaken: true, sign: (it) => standard({ ...it, at: now }) },
    { name: "Oriel-Signature alone", isTaken: true, sign: (it) => ours({ ...it, at: now }) },
    { name: "rotation", isTaken: true, sign: (it) => both({ ...it, at: now, with: [secrets.previous, secrets.current] }) },
    { name: "another body than was signed", isTaken: false, sign: (it) => both({ ...it, at: now, body: `${it.body} ` }) },
    { name: "another endpoint's secret", isTaken: false, sign: (it) => both({ ...it, at: now, with: [secrets.other] }) },
    { name: "an hour old", isTaken: false, sign: (it) => both({ ...it, at: now - 3600 }) },
    { name: "no signature", isTaken: false, sign: () => ({}) },
    { name: "GET", isTaken: false, method: "GET", sign: (it) => both({ ...it, at: now }) },
    { name: "two megabytes", isTaken: false, padding: 2_000_000, sign: (it) => both({ ...it, at: now }) },
  ];
  return trials.map(({ name, isTaken, method = "POST", padding = 0, sign }, i) => {
    const id = `evt_trial${i}x`;
    const body = eventBody({ greeting: "Grüße, 世界 🍵", padding: "x".repeat(padding) }, id);
    return {
      name,
      id,
      method,
      isTaken,
      body,
      headers: { "content-type": "application/json; charset=utf-8", ...sign({ id, body }) },
    };
  });
}

interface TrialParts {
  name: string;
  isTaken: boolean;
  method?: "GET" | "POST";
  /** How much the body is longer than an event, in bytes. */
  padding?: number;
  sign(it: { id: string; body: string }): Record<string, string>;
}

/** The status; null when the connection was cut, or nothing came. */
async function send({ method, headers, body }: Trial, port: number): Promise<number | null> {
  try {
    const response = await fetch(`http://127.0.0.1:${port}/webhook`, {
      method,
      headers: { ...headers, connection: "close" },
      ...(method === "POST" && { body }),
      signal: AbortSignal.timeout(requestTimeoutMs),
    });
    await response.arrayBuffer();
    return response.status;
  } catch {
    return null;
  }
}

interface Server {
  process: ChildProcess;
  /** All of it once it has ended. */
  output(): string;
  end(): Promise<void>;
}

/** In a process group of its own, because `go run` has a child that does not end with it. */
function start(language: Language, port: number): Server {
  const child = spawn(language.command, language.serve(port), {
    cwd: folder,
    env: { ...process.env, ORIEL_WEBHOOK_SECRET: secrets.current, PORT: String(port) },
    stdio: ["ignore", "pipe", "pipe"],
    detached: true,
  });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk: Buffer) => (output += chunk.toString()));
  child.on("error", (error) => (output += error.message));
  const closed = new Promise<void>((resolve) => child.once("close", () => resolve()));
  const kill = () => {
    if (child.pid === undefined) return;
    try {
      process.kill(-child.pid, "SIGKILL");
    } catch {
      // It has ended already.
    }
  };
  process.on("exit", kill);
  const end = async () => {
    process.off("exit", kill);
    kill();
    await closed;
  };
  return { process: child, output: () => output, end };
}

/** Null when it listens; else why not. */
async function waitUntilListening(server: Server, port: number): Promise<string | null> {
  const deadline = Date.now() + startTimeoutMs;
  while (Date.now() < deadline && server.process.exitCode === null && server.process.pid !== undefined) {
    if (await accepts(port)) return null;
    await pause(50);
  }
  return `its server did not start: ${server.output().trim().slice(0, 500)}`;
}

function accepts(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1");
    socket.once("connect", () => resolve(true)).once("error", () => resolve(false));
    socket.once("connect", () => socket.destroy());
  });
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer().once("error", reject);
    server.listen(0, "127.0.0.1", () => {
      const address = server.address();
      server.close(() => (typeof address === "object" && address ? resolve(address.port) : reject(new Error("Bug: no port"))));
    });
  });
}
