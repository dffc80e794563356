/**
 * Starts and controls the receivers' process: opens a receiver with a given behavior and later fetches what it
 * received. `receivers-process.ts` is the process itself.
 */
import { fork } from "node:child_process";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";

/**
 * `good`: 200 at once. `refusing`: 500. `redirecting`: 302 to a good one. `tar-pit`: accepts the request and never
 * responds. `endless`: 200 with a body that never ends.
 */
export type Behavior = "good" | "refusing" | "redirecting" | "tar-pit" | "endless";

export interface Receipt {
  eventId: string;
  /** When the request had fully arrived, in milliseconds since 1970. */
  at: number;
  bytes: number;
}

export interface Received {
  receipts: Receipt[];
  /** Maximum number of concurrent connections. */
  peak: number;
}

/** Messages between the two processes. */
export type ReceiverCommand =
  | { n: number; what: "open"; behavior: Behavior }
  | { n: number; what: "count" | "take"; urls: string[] };
export type Reply = { n: number; url?: string; count?: number; received?: Received };
type Unnumbered<T> = T extends { n: number } ? Omit<T, "n"> : never;

export interface Receivers {
  open(behavior: Behavior): Promise<string>;
  /** Returns and removes what these endpoints have received so far. */
  take(urls: readonly string[]): Promise<Received>;
  /**
   * Waits until these endpoints have received `count` events, and then does the same.
   * @throws Error after `withinMs`
   */
  takeAll(urls: readonly string[], count: number, withinMs: number): Promise<Received>;
  close(): void;
}

const responseTimeoutMs = 10_000;

export async function openReceivers(): Promise<Receivers> {
  const child = fork(join(import.meta.dirname, "receivers-process.ts"), {
    stdio: ["ignore", "inherit", "inherit", "ipc"],
  });
  process.once("exit", () => child.kill("SIGKILL"));
  const waiting = new Map<number, (reply: Reply) => void>();
  child.on("message", (message) => {
    const reply = message as Reply; // sent by our own process
    waiting.get(reply.n)?.(reply);
    waiting.delete(reply.n);
  });
  let sent = 0;
  const send = async (command: Unnumbered<ReceiverCommand>): Promise<Reply> => {
    const n = ++sent;
    const { promise, resolve, reject } = Promise.withResolvers<Reply>();
    const timer = setTimeout(() => reject(new Error("The receivers' process didn't respond.")), responseTimeoutMs);
    waiting.set(n, resolve);
    child.send({ n, ...command });
    return await promise.finally(() => clearTimeout(timer));
  };
  const take = async (urls: readonly string[]) => {
    const { received } = await send({ what: "take", urls: [...urls] });
    return received ?? { receipts: [], peak: 0 };
  };
  return {
    open: async (behavior) => String((await send({ what: "open", behavior })).url),
    take,
    async takeAll(urls, count, withinMs) {
      const deadline = Date.now() + withinMs;
      for (;;) {
        const { count: is = 0 } = await send({ what: "count", urls: [...urls] });
        if (is >= count) return await take(urls);
        if (Date.now() > deadline) throw new Error(`${is} of ${count} webhooks arrived within ${withinMs / 1000} s.`);
        await pause(100);
      }
    },
    close: () => void child.kill("SIGKILL"),
  };
}
