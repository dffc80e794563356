/**
 * The receivers' process, from outside: a receiver is opened with its manners, and later asked what came.
 * `receivers-process.ts` is the inside.
 */
import { fork } from "node:child_process";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";

/**
 * `good`: 200 at once. `refusing`: 500. `redirecting`: 302, to a good one. `tar-pit`: takes the request and never
 * answers. `endless`: 200, and a body that has no end.
 */
export type Manners = "good" | "refusing" | "redirecting" | "tar-pit" | "endless";

export interface Receipt {
  eventId: string;
  /** When the whole request was there, in milliseconds since 1970. */
  at: number;
  bytes: number;
}

export interface Received {
  receipts: Receipt[];
  /** How many connections there were at once, at most. */
  peak: number;
}

/** From outside to inside, and back. */
export type Question =
  | { n: number; ask: "open"; manners: Manners }
  | { n: number; ask: "count" | "take"; urls: string[] };
export type Answer = { n: number; url?: string; count?: number; received?: Received };
type Ask<T> = T extends { n: number } ? Omit<T, "n"> : never;

export interface Receivers {
  open(manners: Manners): Promise<string>;
  /** What came to these so far, all together; it is forgotten there. */
  take(urls: readonly string[]): Promise<Received>;
  /** The same when so many requests came. @throws Error after `withinMs` */
  takeAll(urls: readonly string[], count: number, withinMs: number): Promise<Received>;
  close(): void;
}

const answerWithinMs = 10_000;

export async function openReceivers(): Promise<Receivers> {
  const child = fork(join(import.meta.dirname, "receivers-process.ts"), {
    stdio: ["ignore", "inherit", "inherit", "ipc"],
  });
  process.once("exit", () => child.kill("SIGKILL"));
  const waiting = new Map<number, (answer: Answer) => void>();
  child.on("message", (message) => {
    const answer = message as Answer; // the process is ours
    waiting.get(answer.n)?.(answer);
    waiting.delete(answer.n);
  });
  let asked = 0;
  const ask = async (question: Ask<Question>): Promise<Answer> => {
    const n = ++asked;
    const { promise, resolve, reject } = Promise.withResolvers<Answer>();
    const timer = setTimeout(() => reject(new Error("The receivers' process does not answer.")), answerWithinMs);
    waiting.set(n, resolve);
    child.send({ n, ...question });
    return await promise.finally(() => clearTimeout(timer));
  };
  const take = async (urls: readonly string[]) => {
    const { received } = await ask({ ask: "take", urls: [...urls] });
    return received ?? { receipts: [], peak: 0 };
  };
  return {
    open: async (manners) => String((await ask({ ask: "open", manners })).url),
    take,
    async takeAll(urls, count, withinMs) {
      const deadline = Date.now() + withinMs;
      for (;;) {
        const { count: is = 0 } = await ask({ ask: "count", urls: [...urls] });
        if (is >= count) return await take(urls);
        if (Date.now() > deadline) throw new Error(`${is} of ${count} webhooks came within ${withinMs / 1000} s.`);
        await pause(100);
      }
    },
    close: () => void child.kill("SIGKILL"),
  };
}
