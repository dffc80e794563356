/**
 * How a merchant's server sends requests. Every POST has its own key and goes to any of the processes, again and again
 * until there's a final response (2xx, 402 or another 4xx, except 429). A lost connection, 5xx or 429 is not final.
 * Sometimes a request goes to two processes at the same time, or is retried while the first one still runs.
 *
 * Keeps every final response byte for byte, and records what's in flight at which process, because that's what a kill
 * hits.
 */
import { setTimeout as pause } from "node:timers/promises";
import type { Chance } from "../chance.ts";
import type { Processes, ServiceProcess } from "./processes.ts";

export interface ApiResponse {
  status: number;
  text: string;
  headers: Headers;
}

/** An operation requested under one key. */
export interface KeyedRequest {
  key: string;
  path: string;
  body: object;
  /** Every final response, in order of arrival. */
  responses: ApiResponse[];
  /** How long the client waited. For a duplicate request, until both responses arrived. */
  waitedMs: number;
}

export interface Sender {
  keyedRequests: KeyedRequest[];
  /** Number of requests, the reasons for retries, and when keys got their final responses. */
  tally: {
    requests: number;
    retries: Map<string, number>;
    respondedAt: number[];
    /** How many requests that change or complete a session lost their connection, by what they do. */
    cut: Map<string, number>;
  };
  /** What's in flight at a process: keys and checkout session IDs, with their start time. */
  underWayAt(process: ServiceProcess): Map<string, Date>;
  /** @returns the final response @throws GivenUp */
  send(path: string, body: object, chance: Chance): Promise<ApiResponse>;
  /** Sends a request that is safe to repeat. @throws GivenUp */
  repeat(request: Request, chance: Chance): Promise<ApiResponse>;
  /** Sends a request once. Resolves to null if no response arrives. */
  once(request: Request, chance: Chance): Promise<ApiResponse | null>;
  /** Stops all retries. */
  giveUp(): void;
}

export interface Request {
  surface: "api" | "checkout";
  method: string;
  path: string;
  body?: unknown;
  headers?: Record<string, string>;
  /** The key or session that a kill would hit. */
  about: string;
}

/** Thrown if the run ends before a response arrives. */
export class GivenUp extends Error {
  override readonly name = "GivenUp";
}

const responseTimeoutMs = 30_000;
/** Timeout of an impatient sender. */
const shortTimeoutMs = { min: 20, max: 2_000 };

export interface SenderOptions {
  processes: Pick<Processes, "apis">;
  secretKey: string;
  /** Probability that a client duplicates a request or retries it too early, from 0 to 1. */
  impatience: number;
}

export function createSender({ processes, secretKey, impatience }: SenderOptions): Sender {
  const keyedRequests: KeyedRequest[] = [];
  const tally: Sender["tally"] = { requests: 0, retries: new Map(), respondedAt: [], cut: new Map() };
  const open = new Map<string, Map<symbol, [about: string, since: Date]>>(
    processes.apis.map(({ name }) => [name, new Map()]),
  );
  let hasEnded = false;

  return {
    keyedRequests,
    tally,
    underWayAt: ({ name }) => new Map(open.get(name)?.values()),
    async send(path, body, chance) {
      const key = `key-${keyedRequests.length + 1}-${chance.between(0, 1e9)}`;
      const sent: KeyedRequest = { key, path, body, responses: [], waitedMs: 0 };
      const startedAt = Date.now();
      keyedRequests.push(sent);
      const request = {
        surface: "api",
        method: "POST",
        path,
        body,
        headers: { "idempotency-key": key },
        about: key,
      } as const;
      const isDuplicated = chance.happens(impatience);
      const first = anyApi(chance);
      const [response] = await Promise.all([
        untilFinal(request, chance, first, sent.responses),
        isDuplicated ? untilFinal(request, chance.stream(key), first + 1, sent.responses) : null,
      ]);
      tally.respondedAt.push(Date.now());
      sent.waitedMs = Date.now() - startedAt;
      return response;
    },
    repeat: (request, chance) => untilFinal(request, chance, anyApi(chance), []),
    async once(request, chance) {
      const got = await send(request, chance.pick(processes.apis), timeoutOf(chance));
      if (typeof got !== "string") return got;
      count(got);
      return null;
    },
    giveUp: () => void (hasEnded = true),
  };

  function anyApi(chance: Chance): number {
    return chance.between(0, processes.apis.length - 1);
  }

  async function untilFinal(
    request: Request,
    chance: Chance,
    first: number,
    responses: ApiResponse[],
  ): Promise<ApiResponse> {
    for (let tries = 0; ; tries++) {
      const process = processes.apis[(first + tries) % processes.apis.length];
      if (process === undefined) throw new Error("Bug: no process to send to");
      const got = await send(request, process, timeoutOf(chance));
      if (typeof got !== "string" && isFinal(got)) {
        responses.push(got);
        return got;
      }
      count(typeof got === "string" ? got : `${got.status} ${codeOf(got)}`);
      if (hasEnded) throw new GivenUp(`No final response to ${request.method} ${request.path}`);
      const retryAfter = typeof got === "string" ? 0 : Number(got.headers.get("retry-after") ?? 0);
      await pause(retryAfter * 1000 + chance.between(20, 100 + Math.min(tries, 10) * 100));
    }
  }

  /** A string is the reason why there's no response. */
  async function send(request: Request, process: ServiceProcess, timeoutMs: number): Promise<ApiResponse | string> {
    const { surface, method, path, body, headers, about } = request;
    const entry = Symbol(about);
    open.get(process.name)?.set(entry, [about, new Date()]);
    tally.requests += 1;
    try {
      const response = await fetch(`${surface === "api" ? process.apiUrl : process.checkoutUrl}${path}`, {
        method,
        headers: {
          ...(surface === "api" ? { authorization: `Bearer ${secretKey}` } : {}),
          ...(body === undefined ? {} : { "content-type": "application/json" }),
          ...headers,
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
        signal: AbortSignal.timeout(timeoutMs),
      });
      return { status: response.status, text: await response.text(), headers: response.headers };
    } catch (error) {
      if (error instanceof Error && error.name === "TimeoutError") return "timeout";
      const isCut = !(error instanceof Error && codeOfCause(error) === "ECONNREFUSED");
      const step = isCut ? stepOf(request) : null;
      if (step !== null) tally.cut.set(step, (tally.cut.get(step) ?? 0) + 1);
      return "no connection";
    } finally {
      open.get(process.name)?.delete(entry);
    }
  }

  function timeoutOf(chance: Chance): number {
    return chance.happens(impatience) ? chance.between(shortTimeoutMs.min, shortTimeoutMs.max) : responseTimeoutMs;
  }

  function count(what: string): void {
    tally.retries.set(what, (tally.retries.get(what) ?? 0) + 1);
  }
}

function codeOfCause({ cause }: Error): unknown {
  return cause instanceof Error && "code" in cause ? cause.code : null;
}

const steps: Partial<Record<string, string>> = {
  shipping_option: "shipping choices",
  promotion_code: "codes",
  complete: "completions for 0",
};

/** What a request does to a session, apart from a payment. */
function stepOf({ method, path }: Request): string | null {
  return method === "PATCH" ? "changes" : (steps[path.split("/").at(-1) ?? ""] ?? null);
}

function isFinal({ status }: ApiResponse): boolean {
  return status < 500 && status !== 429;
}

function codeOf({ text }: ApiResponse): string {
  return /"code":"([a-z_]+)"/.exec(text)?.[1] ?? "without a code";
}
