/**
 * Launches Chromium and controls it with the DevTools protocol over a pipe. Playwright attaches to an out-of-process
 * iframe only once it's running. Here the iframe is paused until it's throttled and observed.
 *
 * Every site has its own process, as in a customer's browser, and only `*.localhost` names resolve.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Readable, Writable } from "node:stream";
import type { CDPSession } from "@playwright/test";
import { requireChromium } from "../../scripts/browsers.ts";

/** The browser itself, a page or an iframe. */
export type Target = Pick<CDPSession, "send">;

/** The target events that are used here. */
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
  | { method: "Network.requestWillBeSent"; params: { requestId: string; type?: string; request: { url: string } } }
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
  /** Calls `listener` for every event of every attached target, until the returned function is called. */
  listen(listener: (event: TargetEvent) => void): () => void;
  close(): Promise<void>;
}

const responseTimeoutMs = 30_000;
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
  "--host-resolver-rules=MAP *.localhost 127.0.0.1, MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",
  "--window-size=1280,900",
  "--remote-debugging-pipe",
];

/** @param proxy - The network that all of its connections use. */
export async function openBrowser(proxy: string | null): Promise<Browser> {
  const profile = mkdtempSync(join(tmpdir(), "oriel-chromium-"));
  const asRoot = process.getuid?.() === 0 ? ["--no-sandbox"] : [];
  const throughProxy = proxy === null ? [] : [`--proxy-server=${proxy}`, "--proxy-bypass-list=<-loopback>"];
  const own = [...asRoot, ...throughProxy, `--user-data-dir=${profile}`];
  const child = spawn(requireChromium().path, [...flags, ...own, "about:blank"], {
    stdio: ["ignore", "ignore", "ignore", "pipe", "pipe"],
  });
  const ended = once(child, "exit");
  process.once("exit", () => {
    child.kill("SIGKILL");
    rmSync(profile, { recursive: true, force: true });
  });
  const [, , , commands, replies] = child.stdio as [null, null, null, Writable, Readable]; // as configured above
  const { request, listen } = connectPipes(commands, replies);
  const target = (sessionId?: string): Target => ({
    // The types are Playwright's types of the protocol.
    send: (async (method: string, params: object = {}) => await request(method, params, sessionId)) as Target["send"],
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
      await send("Browser.close").catch(() => {}); // the browser may close before it responds
      await ended;
      clearTimeout(timer);
      rmSync(profile, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
    },
  };
}

/** Commands, results and events. Each message ends with a zero byte. */
function connectPipes(commands: Writable, replies: Readable) {
  const waiting = new Map<number, { resolve: (result: unknown) => void; reject: (reason: Error) => void }>();
  const listeners = new Set<(event: TargetEvent) => void>();
  let requests = 0;
  let unread = "";
  commands.on("error", () => {}); // the browser has exited; pending commands are rejected below
  replies.setEncoding("utf8");
  replies.on("data", (text: string) => {
    const messages = `${unread}${text}`.split("\0");
    unread = messages.pop() ?? "";
    for (const message of messages) take(JSON.parse(message) as Message); // from the browser
  });
  replies.once("close", () => {
    for (const { reject } of waiting.values()) reject(new Error("The browser has exited."));
  });

  function take(message: Message): void {
    if ("method" in message) {
      for (const listener of listeners) listener(message);
      return;
    }
    const { id, error, result } = message;
    if (error === undefined) waiting.get(id)?.resolve(result);
    else waiting.get(id)?.reject(new Error(error.message));
  }

  return {
    async request(method: string, params: object, sessionId: string | undefined): Promise<unknown> {
      const id = ++requests;
      const { promise, resolve, reject } = Promise.withResolvers<unknown>();
      const timer = setTimeout(() => reject(new Error(`The browser didn't respond to ${method}.`)), responseTimeoutMs);
      waiting.set(id, { resolve, reject });
      commands.write(`${JSON.stringify({ id, method, params, ...(sessionId === undefined ? {} : { sessionId }) })}\0`);
      return await promise.finally(() => {
        clearTimeout(timer);
        waiting.delete(id);
      });
    },
    listen(listener: (event: TargetEvent) => void): () => void {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}

type Message = TargetEvent | { id: number; result?: unknown; error?: { message: string } };
