/**
 * Starts a receiver's server and sends it genuine and forged deliveries. It must accept the genuine ones (2xx, and the
 * event printed) and reject the rest with 4xx or by closing the connection. It must print where it listens and why it
 * rejects a delivery, and it must not start with an incomplete secret. For a rejected delivery it logs a reason and an
 * ID, never raw bytes from a header.
 */
import { spawn, type ChildProcess } from "node:child_process";
import { connect } from "node:net";
import { setTimeout as pause } from "node:timers/promises";
import { freePort } from "../test/free-port.ts";
import { folder, type Language } from "./languages.ts";
import { both, eventBody, ours, secrets, standard } from "./sign-delivery.ts";
import type { Refusal as VectorRefusal } from "./make-vectors.ts";
import type { Outcome } from "./run-vectors.ts";

/** Long enough for Go, which compiles first. */
const startTimeoutMs = 60_000;
const requestTimeoutMs = 10_000;

type Refusal = VectorRefusal | "body_malformed";

interface Trial {
  name: string;
  /** ID of the event in the headers and the body. */
  id: string;
  method: "GET" | "POST";
  headers: Record<string, string>;
  body: string;
  isTaken: boolean;
  /** The expected reason in the 400 response and the log. Absent: any rejection is fine. */
  refusal?: Refusal;
}

interface Answer {
  status: number;
  text: string;
}

/** @param directory - Folder of the receiver's file. */
export async function tryServer(language: Language, directory = folder): Promise<Outcome> {
  const served = await tryRequests(language, directory);
  const refusals = [
    await tryToStart(language, directory, "without a secret", undefined),
    await tryToStart(language, directory, "with half a secret", secrets.current.slice(0, 30)),
  ].flat();
  return { passed: served.passed + 2 - refusals.length, failures: [...served.failures, ...refusals] };
}

async function tryRequests(language: Language, directory: string): Promise<Outcome> {
  const port = await freePort();
  const server = start(language, directory, port, secrets.current);
  const trials = makeTrials(Math.floor(Date.now() / 1000));
  const answers: (Answer | null)[] = [];
  try {
    const trouble = await waitUntilListening(server, port);
    if (trouble !== null) return { passed: 0, failures: [trouble] };
    for (const trial of trials) answers.push(await send(trial, port));
  } finally {
    await server.end();
  }
  const failures = trials.flatMap((trial, i) => judge(trial, answers[i] ?? null, server.output()));
  return { passed: trials.length - failures.length, failures };
}

/** Returns a sentence if the trial failed. Some servers respond 501 to an unsupported GET. */
function judge({ name, id, isTaken, refusal, headers }: Trial, answer: Answer | null, output: string): string[] {
  const status = answer?.status ?? null;
  const isAccepted = status !== null && status >= 200 && status < 300;
  const isRefused = status === null || (status >= 400 && status < 500) || status === 501;
  if (isTaken ? !isAccepted : !isRefused) return [`server, ${name}: answered ${status ?? "nothing"}`];
  if (output.includes(`${id} payment.succeeded`) !== isTaken) {
    return [`server, ${name}: the event was ${isTaken ? "not " : ""}accepted`];
  }
  if (refusal === undefined) return [];
  if (answer?.text.trimEnd() !== `Webhook refused: ${refusal}.`) return [`server, ${name}: answered ${answer?.text}`];
  const shownId = headers["webhook-id"] === id ? id : "(no id)";
  const isLogged = output.includes(`refused: ${refusal} ${shownId}`);
  return isLogged && output.includes(id) === (shownId === id)
    ? []
    : [`server, ${name}: the rejection isn't logged as required`];
}

/** Returns a sentence if the server started, or if it failed without an explanation. */
async function tryToStart(
  language: Language,
  directory: string,
  name: string,
  secret: string | undefined,
): Promise<string[]> {
  const server = start(language, directory, await freePort(), secret);
  const code = await server.exit();
  await server.end();
  const isRefused = code === 1 && server.output().includes("ORIEL_WEBHOOK_SECRET must be");
  return isRefused && !server.output().includes("listening")
    ? []
    : [`server, ${name}: exited with ${code} instead of 1 with a message`];
}

function makeTrials(now: number): Trial[] {
  const trials: TrialParts[] = [
    { name: "both formats", isTaken: true, sign: (it) => both({ ...it, at: now }) },
    { name: "Standard Webhooks alone", isTaken: true, sign: (it) => standard({ ...it, at: now }) },
    { name: "Oriel-Signature alone", isTaken: true, sign: (it) => ours({ ...it, at: now }) },
    {
      name: "rotation",
      isTaken: true,
      sign: (it) => both({ ...it, at: now, with: [secrets.previous, secrets.current] }),
    },
    {
      name: "a body that wasn't signed",
      isTaken: false,
      refusal: "signature_mismatch",
      sign: (it) => both({ ...it, at: now, body: `${it.body} ` }),
    },
    {
      name: "another endpoint's secret",
      isTaken: false,
      refusal: "signature_mismatch",
      sign: (it) => both({ ...it, at: now, with: [secrets.other] }),
    },
    {
      name: "a control character in the id",
      isTaken: false,
      refusal: "signature_mismatch",
      sign: (it) => standard({ ...it, at: now, id: `${it.id}\u009b31m`, with: [secrets.other] }),
    },
    {
      name: "genuine, but not JSON",
      isTaken: false,
      refusal: "body_malformed",
      body: "hello",
      sign: (it) => both({ ...it, at: now }),
    },
    {
      name: "an hour old",
      isTaken: false,
      refusal: "timestamp_out_of_tolerance",
      sign: (it) => both({ ...it, at: now - 3600 }),
    },
    { name: "no signature", isTaken: false, refusal: "signature_missing", sign: () => ({}) },
    { name: "GET", isTaken: false, method: "GET", sign: (it) => both({ ...it, at: now }) },
    { name: "two megabytes", isTaken: false, padding: 2_000_000, sign: (it) => both({ ...it, at: now }) },
  ];
  return trials.map(({ name, isTaken, refusal, method = "POST", padding = 0, body: ownBody, sign }, i) => {
    const id = `evt_trial${i}x`;
    const body = ownBody ?? eventBody({ greeting: "Grüße, 世界 🍵", padding: "x".repeat(padding) }, id);
    return {
      name,
      id,
      method,
      isTaken,
      ...(refusal && { refusal }),
      body,
      headers: { "content-type": "application/json; charset=utf-8", ...sign({ id, body }) },
    };
  });
}

interface TrialParts {
  name: string;
  isTaken: boolean;
  refusal?: Refusal;
  method?: "GET" | "POST";
  /** Body to send instead of an event. */
  body?: string;
  /** Bytes to add to the body. */
  padding?: number;
  sign(it: { id: string; body: string }): Record<string, string>;
}

/** The response. Null if the connection was closed without one. */
async function send({ method, headers, body }: Trial, port: number): Promise<Answer | null> {
  try {
    const response = await fetch(`http://127.0.0.1:${port}/webhook`, {
      method,
      headers: { ...headers, connection: "close" },
      ...(method === "POST" && { body }),
      signal: AbortSignal.timeout(requestTimeoutMs),
    });
    return { status: response.status, text: await response.text() };
  } catch {
    return null;
  }
}

interface Server {
  process: ChildProcess;
  /** Resolves to the full output once the server has exited. */
  output(): string;
  /** Resolves to its exit code. Null if a signal ended it, or it didn't exit within the startup timeout. */
  exit(): Promise<number | null>;
  end(): Promise<void>;
}

/** Starts the server in its own process group, because `go run` has a child process that would outlive it. */
function start(language: Language, directory: string, port: number, secret: string | undefined): Server {
  const child = spawn(language.command, language.serve, {
    cwd: directory,
    env: { ...process.env, ORIEL_WEBHOOK_SECRET: secret, PORT: String(port) },
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
      // It has already exited.
    }
  };
  process.on("exit", kill);
  const end = async () => {
    process.off("exit", kill);
    kill();
    await closed;
  };
  const exit = async () => {
    const patience = new AbortController();
    const tooLate = pause(startTimeoutMs, undefined, { signal: patience.signal }).catch(() => undefined);
    await Promise.race([closed, tooLate]);
    patience.abort();
    return child.exitCode;
  };
  return { process: child, output: () => output, exit, end };
}

/** Null once it listens, otherwise why it doesn't. */
async function waitUntilListening(server: Server, port: number): Promise<string | null> {
  const deadline = Date.now() + startTimeoutMs;
  while (Date.now() < deadline && server.process.exitCode === null && server.process.pid !== undefined) {
    if (server.output().includes(`listening on http://127.0.0.1:${port}/webhook`) && (await accepts(port))) return null;
    await pause(50);
  }
  return `its server didn't start: ${server.output().trim().slice(0, 500)}`;
}

function accepts(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1");
    socket.once("connect", () => resolve(true)).once("error", () => resolve(false));
    socket.once("connect", () => socket.destroy());
  });
}
