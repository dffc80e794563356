/**
 * The runner document from the checkout page's side: opens it inside the page and speaks with it, and with nothing
 * else. Its address comes from the service and must be a path of ours; its messages are read by `three-ds-message.ts`.
 *
 * A page that was asked to send COEP may only hold documents that send it too, so what was asked of this page is asked
 * of the runner.
 */
import { threeDSMessageType } from "@oriel/protocol/frame";
import type { ThreeDSMessage } from "@oriel/protocol/frame";
import { bankFeatures } from "@oriel/protocol/windows";
import { readThreeDSMessage } from "./three-ds-message.ts";

export type RunnerNews = "ready" | "loaded" | "notified";

export interface Runner {
  frame: HTMLIFrameElement;
  /** Resolves when the news comes, or with false after `timeoutMs`. News that came already counts. */
  heard(news: RunnerNews, timeoutMs: number): Promise<boolean>;
  /** Calls `listen` each time. */
  on(news: RunnerNews, listen: () => void): void;
  /** Waits for the runner to be ready, then gives it its order. */
  order(message: Extract<ThreeDSMessage, { step: "method" | "challenge" }>): void;
  close(): void;
}

export type OpenRunner = (path: string, into: HTMLElement, title: string) => Runner;

/** As long as a challenge may take. */
const orderTimeoutMs = 10 * 60_000;

export const openRunner: OpenRunner = (path, into, title) => {
  const view = into.ownerDocument.defaultView;
  if (!view || !/^\/3ds\/run\/[\w-]+$/.test(path)) throw new Error("Bug: not our runner");
  const { origin } = view.location;
  const heard = new Set<RunnerNews>();
  const listeners = new Map<RunnerNews, (() => void)[]>();

  const frame = into.ownerDocument.createElement("iframe");
  frame.title = title;
  frame.setAttribute("allow", bankFeatures.map((feature) => `${feature} *`).join("; "));
  frame.src = isUnderCoep(view.location) ? `${path}?coep=1` : path;

  const receive = (event: MessageEvent<unknown>) => {
    const message = readThreeDSMessage(event, frame.contentWindow, origin);
    if (message?.step !== "ready" && message?.step !== "loaded" && message?.step !== "notified") return;
    heard.add(message.step);
    for (const listen of listeners.get(message.step) ?? []) listen();
  };
  view.addEventListener("message", receive);
  into.append(frame);

  const runner: Runner = {
    frame,
    on(news, listen) {
      listeners.set(news, [...(listeners.get(news) ?? []), listen]);
    },
    heard: (news, timeoutMs) =>
      new Promise((resolve) => {
        if (heard.has(news)) return resolve(true);
        const timer = setTimeout(() => resolve(false), timeoutMs);
        runner.on(news, () => {
          clearTimeout(timer);
          resolve(true);
        });
      }),
    order(message) {
      // Once: a bank that reloads the runner must not make us post twice.
      void runner
        .heard("ready", orderTimeoutMs)
        .then((isReady) => isReady && frame.contentWindow?.postMessage(message, origin));
    },
    close() {
      view.removeEventListener("message", receive);
      frame.remove();
    },
  };
  return runner;
};

/**
 * The address asked for this document to be sent with COEP, as the service reads it; mail and ad links put queries of
 * their own beside it.
 */
export function isUnderCoep({ search }: Pick<Location, "search">): boolean {
  return new URLSearchParams(search).get("coep") === "1";
}

export function methodOrder(url: string, data: string): Extract<ThreeDSMessage, { step: "method" }> {
  return { type: threeDSMessageType, step: "method", url, data };
}

export function challengeOrder(
  url: string,
  creq: string,
  size: readonly [width: number, height: number] | null,
): Extract<ThreeDSMessage, { step: "challenge" }> {
  return {
    type: threeDSMessageType,
    step: "challenge",
    url,
    creq,
    width: size?.[0] ?? null,
    height: size?.[1] ?? null,
  };
}
