/**
 * How a merchant's server sends: every POST under a key of its own, to any of the processes, again and again until
 * there is a final answer (2xx, 402 or another 4xx; not 429). Lost connections, 5xx and 429 are no answers. Now and
 * then a request is sent twice at the same moment, to two processes, or its sender loses patience and sends it again
 * while the first one still runs.
 *
 * Every final answer is kept, byte for byte, and so is what is under way at which process: that is what a kill hits.
 */
import { setTimeout as pause } from "node:timers/promises";
import type { Chance } from "./chance.ts";
import type { Processes, ServiceProcess } from "./processes.ts";

export interface Answer {
  status: number;
  text: string;
  headers: Headers;
}

/** Something that was asked for under one key. */
export interface Ask {
  key: string;
  path: string;
  body: object;
  /** Every final answer there was, in the order they came. */
  answers: Answer[];
  /** How long the client waited for it, for both where it was sent twice. */
  waitedMs: number;
}

export interface Sender {
  asks: Ask[];
  /** How many requests were sent, and what the ones without a final answer came to, by what they got. */
  tally: { requests: number; retries: Map<string, number> };
  /** What is under way at a process: keys and ids of checkout sessions, with the time since when. */
  underWayAt(process: ServiceProcess): Map<string, Date>;
  /** @returns the final answer @throws GivenUp */
  ask(path: string, body: object, chance: Chance): Promise<Answer>;
  /** A request that may be repeated at will. @throws GivenUp */
  repeat(request: Request, chance: Chance): Promise<Answer>;
  /** A request that its sender does not repeat by itself. Null: no answer came back. */
  once(request: Request, chance: Chance): Promise<Answer | null>;
  /** From now on nobody tries again. */
  giveUp(): void;
}

export interface Request {
  surface: "api" | "checkout";
  method: string;
  path: string;
  body?: unknown;
  headers?: Record<string, string>;
  /** What a kill would hit: a key or a session. */
  about: string;
}

/** The run is over and there is no answer yet. */
export class GivenUp extends Error {
  override readonly name = "GivenUp";
}

const patienceMs = 30_000;
/** Of one that sends again too soon. */
const shortPatienceMs = { least: 20, most: 2_000 };

export interface SenderOptions {
  processes: Pick<Processes, "apis">;
  secretKey: string;
  /** How often a request is sent twice at once, or too soon again. */
  hastiness: number;
}

export function createSender({ processes, secretKey, hastiness }: SenderOptions): Sender {
  const asks: Ask[] = [];
  const tally: Sender["tally"] = { requests: 0, retries: new Map() };
  const open = new Map<string, Map<symbol, [about: string, since: Date]>>(
    processes.apis.map(({ name }) => [name, new Map()]),
  );
  let isOver = false;

  return {
    asks,
    tally,
    underWayAt: ({ name }) => new Map(open.get(name)?.values()),
    async ask(path, body, chance) {
      const key = `key-${asks.length + 1}-${chance.between(0, 1e9)}`;
      const ask: Ask = { key, path, body, answers: [], waitedMs: 0 };
      const startedAt = Date.now();
      asks.push(ask);
      const request = {
        surface: "api",
        method: "POST",
        path,
        body,
        headers: { "idempotency-key": key },
        about: key,
      } as const;
      const isTwin = chance.happens(hastiness);
      const first = anyApi(chance);
      const [answer] = await Promise.all([
        untilFinal(request, chance, first, ask.answers),
        isTwin ? untilFinal(request, chance.stream(key), first + 1, ask.answers) : null,
      ]);
      ask.waitedMs = Date.now() - startedAt;
      return answer;
    },
    repeat: (request, chance) => untilFinal(request, chance, anyApi(chance), []),
    async once(request, chance) {
      const got = await send(request, chance.pick(processes.apis), patienceOf(chance));
      if (typeof got !== "string") return got;
      count(got);
      return null;
    },
    giveUp: () => void (isOver = true),
  };

  function anyApi(chance: Chance): number {
    return chance.between(0, processes.apis.length - 1);
  }

  async function untilFinal(request: Request, chance: Chance, first: number, answers: Answer[]): Promise<Answer> {
    for (let tries = 0; ; tries++) {
      const process = processes.apis[(first + tries) % processes.apis.length];
      if (process === undefined) throw new Error("Bug: no process to send to");
      const got = await send(request, process, patienceOf(chance));
      if (typeof got !== "string" && isFinal(got)) {
        answers.push(got);
        return got;
      }
      count(typeof got === "string" ? got : `${got.status} ${codeOf(got)}`);
      if (isOver) throw new GivenUp(`No final answer to ${request.method} ${request.path}`);
      const retryAfter = typeof got === "string" ? 0 : Number(got.headers.get("retry-after") ?? 0);
      await pause(retryAfter * 1000 + chance.between(20, 100 + Math.min(tries, 10) * 100));
    }
  }

  /** A string says why there is no answer. */
  async function send(request: Request, process: ServiceProcess, timeoutMs: number): Promise<Answer | string> {
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
      return error instanceof Error && error.name === "TimeoutError" ? "no patience" : "no connection";
    } finally {
      open.get(process.name)?.delete(entry);
    }
  }

  function patienceOf(chance: Chance): number {
    return chance.happens(hastiness) ? chance.between(shortPatienceMs.least, shortPatienceMs.most) : patienceMs;
  }

  function count(what: string): void {
    tally.retries.set(what, (tally.retries.get(what) ?? 0) + 1);
  }
}

function isFinal({ status }: Answer): boolean {
  return status < 500 && status !== 429;
}

function codeOf({ text }: Answer): string {
  return /"code":"([a-z_]+)"/.exec(text)?.[1] ?? "without a code";
}
