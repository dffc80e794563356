/**
 * The checkout page's side of the runner document: opens it inside the page and exchanges messages with it alone. Its
 * URL comes from the service and must be one of our paths; its messages are read by `three-ds-message.ts`.
 *
 * A page with COEP may only contain documents that also send it, so if this page was requested with COEP, the runner is
 * too.
 */
import { threeDSMessageType } from "@oriel/protocol/frame";
import type { ThreeDSMessage } from "@oriel/protocol/frame";
import { bankFeatures } from "@oriel/protocol/windows";
import { readThreeDSMessage } from "./three-ds-message.ts";

export type RunnerMessage = "ready" | "loaded" | "notified";

export interface Runner {
  frame: HTMLIFrameElement;
  /** Resolves to true when the message arrives or if it has already arrived, or to false after `timeoutMs`. */
  waitFor(message: RunnerMessage, timeoutMs: number): Promise<boolean>;
  /** Calls `listen` each time the message arrives. */
  on(message: RunnerMessage, listen: () => void): void;
  /** Waits until the runner is ready, then sends it the order. */
  order(message: Extract<ThreeDSMessage, { step: "method" | "challenge" }>): void;
  close(): void;
}

export type OpenRunner = (path: string, into: HTMLElement, title: string) => Runner;

/** The maximum duration of a challenge. */
const orderTimeoutMs = 10 * 60_000;

export const openRunner: OpenRunner = (path, into, title) => {
  const view = into.ownerDocument.defaultView;
  if (!view || !/^\/3ds\/run\/[\w-]+$/.test(path)) throw new Error("Bug: not our runner");
  const { origin } = view.location;
  const received = new Set<RunnerMessage>();
  const listeners = new Map<RunnerMessage, (() => void)[]>();

  const frame = into.ownerDocument.createElement("iframe");
  frame.title = title;
  frame.setAttribute("allow", bankFeatures.map((feature) => `${feature} *`).join("; "));
  frame.src = isUnderCoep(view.location) ? `${path}?coep=1` : path;

  const receive = (event: MessageEvent<unknown>) => {
    const message = readThreeDSMessage(event, frame.contentWindow, origin);
    if (message?.step !== "ready" && message?.step !== "loaded" && message?.step !== "notified") return;
    received.add(message.step);
    for (const listen of listeners.get(message.step) ?? []) listen();
  };
  view.addEventListener("message", receive);
  into.append(frame);

  const runner: Runner = {
    frame,
    on(step, listen) {
      listeners.set(step, [...(listeners.get(step) ?? []), listen]);
    },
    waitFor: (step, timeoutMs) =>
      new Promise((resolve) => {
        if (received.has(step)) return resolve(true);
        const timer = setTimeout(() => resolve(false), timeoutMs);
        runner.on(step, () => {
          clearTimeout(timer);
          resolve(true);
        });
      }),
    order(message) {
      // Send the order only once: if the bank reloads the runner, it must not post twice.
      void runner
        .waitFor("ready", orderTimeoutMs)
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
 * Whether the URL requests this document with COEP. This matches how the service reads it; links from emails and ads
 * add other query parameters.
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
