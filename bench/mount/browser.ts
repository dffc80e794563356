/**
 * A Chromium of its own, driven by the DevTools protocol over a pipe. Playwright takes hold of a frame in another
 * process only when the frame runs already; here it is held still until it is slowed down and watched.
 *
 * Every site has a process of its own, as in a customer's browser, and no name but `*.localhost` resolves.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Readable, Writable } from "node:stream";
import type { CDPSession } from "@playwright/test";
import { requireChromium } from "../../scripts/browsers.ts";

/** The browser itself, or one of its pages and frames. */
export type Target = Pick<CDPSession, "send">;

/** What a target tells by itself, as far as it is read here. */
export type TargetEvent = { sessionId?: string } & (
  | {
      method: "Target.attachedToTarget";
      params: { sessionId: string; targetInfo: { targetId: string; type: string; url: string } };
    }
  | { method: "Target.detachedFromTarget"; params: { sessionId: string } }
  | { method: "Runtime.bindingCalled"; params: { name: string; payload: string } }
  | {
      method: "Runtime.exceptionThrown";
      params: { exceptionDetails: { text: string; exception?: { description?: string } } };
    }
  | { method: "Network.requestWillBeSent"; params: { requestId: string; request: { url: string } } }
  | {
      method: "Network.responseReceived";
      params: {
        requestId: string;
        response: { url: string; status: number; fromDiskCache?: boolean; headers: Record<string, string> };
      };
    }
  | { method: "Network.loadingFinished"; params: { requestId: string; encodedDataLength: number } }
);

export interface Browser extends Target {
  version: string;
  target(sessionId: string): Target;
  /** Hears every event of every target that is attached to, until the function that comes back is called. */
  listen(hear: (event: TargetEvent) => void): () => void;
  close(): Promise<void>;
}

const answerWithinMs = 30_000;
const closeWithinMs = 5_000;

const flags = [
  "--headless",
  "--no-first-run",
  "--no-default-browser-check",
  "--disable-gpu",
  "--disable-extensions",
  "--disable-sync",
  "--disable-component-update",
  "--disable-background-networking",
  "--disable-domain-reliability",
  "--disable-features=Translate,OptimizationHints,MediaRouter,AutofillServerCommunication,LocalNetworkAccessChecks",
  "--site-per-process",
  "--host-resolver-rules=MAP *.localhost 127.0.0.1, MAP * ~NOTFOUND",
  "--window-size=1280,900",
  "--remote-debugging-pipe",
];

export async function openBrowser(): Promise<Browser> {
  const profile = mkdtempSync(join(tmpdir(), "oriel-chromium-"));
  const asRoot = process.getuid?.() === 0 ? ["--no-sandbox"] : [];
  const child = spawn(requireChromium().path, [...flags, ...asRoot, `--user-data-dir=${profile}`, "about:blank"], {
    stdio: ["ignore", "ignore", "ignore", "pipe", "pipe"],
  });
  const ended = once(child, "exit");
  process.once("exit", () => {
    child.kill("SIGKILL");
    rmSync(profile, { recursive: true, force: true });
  });
  const [, , , commands, answers] = child.stdio as [null, null, null, Writable, Readable]; // as asked for above
  const { ask, listen } = converse(commands, answers);
  const target = (sessionId?: string): Target => ({
    // The protocol's own types, by Playwright: each answer is as the browser defines it.
    send: (async (method: string, params: object = {}) => await ask(method, params, sessionId)) as Target["send"],
  });
  const { send } = target();
  const { product } = await send("Browser.getVersion");
  return {
    version: product.replace("/", " "),
    send,
    target,
    listen,
    async close() {
      const timer = setTimeout(() => child.kill("SIGKILL"), closeWithinMs);
      await send("Browser.close").catch(() => {}); // it may be gone before it has answered
      await ended;
      clearTimeout(timer);
      rmSync(profile, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
    },
  };
}

/** Questions and answers, and what comes unasked; each message ends with a zero. */
function converse(commands: Writable, answers: Readable) {
  const waiting = new Map<number, { resolve: (result: unknown) => void; reject: (reason: Error) => void }>();
  const listeners = new Set<(event: TargetEvent) => void>();
  let asked = 0;
  let unread = "";
  commands.on("error", () => {}); // the browser has ended: whoever waits hears of it below
  answers.setEncoding("utf8");
  answers.on("data", (text: string) => {
    const messages = `${unread}${text}`.split("\0");
    unread = messages.pop() ?? "";
    for (const message of messages) take(JSON.parse(message) as Message); // the browser's own
  });
  answers.once("close", () => {
    for (const { reject } of waiting.values()) reject(new Error("The browser has ended."));
  });

  function take(message: Message): void {
    if ("method" in message) {
      for (const hear of listeners) hear(message);
      return;
    }
    const { id, error, result } = message;
    if (error === undefined) waiting.get(id)?.resolve(result);
    else waiting.get(id)?.reject(new Error(error.message));
  }

  return {
    async ask(method: string, params: object, sessionId: string | undefined): Promise<unknown> {
      const id = ++asked;
      const { promise, resolve, reject } = Promise.withResolvers<unknown>();
      const timer = setTimeout(() => reject(new Error(`The browser does not answer ${method}.`)), answerWithinMs);
      waiting.set(id, { resolve, reject });
      commands.write(`${JSON.stringify({ id, method, params, ...(sessionId === undefined ? {} : { sessionId }) })}\0`);
      return await promise.finally(() => {
        clearTimeout(timer);
        waiting.delete(id);
      });
    },
    listen(hear: (event: TargetEvent) => void): () => void {
      listeners.add(hear);
      return () => listeners.delete(hear);
    },
  };
}

type Message = TargetEvent | { id: number; result?: unknown; error?: { message: string } };
