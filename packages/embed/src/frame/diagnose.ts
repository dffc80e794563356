/**
 * Why a frame is silent. A browser tells a page nothing of a frame that was refused: an unlisted origin, a server that
 * is down and a blocked document all look like one that has not loaded yet. So a second, hidden frame is asked:
 * `/embed/v1/why`, which anyone may hold and which knows no card field and no secret. It says whether the session lives
 * and whether this page may hold its frame. When it is silent too, it is the network.
 */
import { type FrameEvents, readFrameEvent } from "@oriel/protocol/windows";
import type { EmbedUrl } from "../checkout/embed-url.ts";
import { handOver } from "./hand-over.ts";
import { createElement, onDocument } from "../host-document.ts";

export type Why = FrameEvents["why"];

/** How long the hidden frame may take, in milliseconds. */
const patienceMs = 4_000;

/** @returns null when nobody answered. */
export function askWhy(url: EmbedUrl, diagnosticId: string, near: Element): Promise<Why | null> {
  return new Promise((resolve) => {
    const frame = createElement("iframe");
    const end = (answer: Why | null) => {
      clearTimeout(timer);
      line?.close();
      frame.remove();
      resolve(answer);
    };
    const timer = setTimeout(end, patienceMs, null);
    let line: ReturnType<typeof handOver> | undefined;
    frame.addEventListener("load", () => {
      line?.close();
      line = handOver(frame.contentWindow as Window, url.origin, {
        event(name, detail) {
          const event = readFrameEvent(name, detail);
          if (event?.name === "why") end(event.detail);
        },
      }); // a frame in the document has a window
    });
    frame.hidden = true;
    frame.style.setProperty("display", "none");
    frame.src = `${url.origin}/embed/v1/why?session=${url.sessionId}&d=${diagnosticId}`;
    near.append(frame);
  });
}

/**
 * Calls `blocked` when this page's own Content-Security-Policy refuses a frame of the origin.
 * @returns stops listening.
 */
export function watchPolicy(origin: string, blocked: () => void): () => void {
  return onDocument<SecurityPolicyViolationEvent>(
    "securitypolicyviolation",
    ({ blockedURI, effectiveDirective, disposition }) => {
      if (
        disposition === "enforce" &&
        /^(frame|child|default)-src/.test(effectiveDirective) &&
        blockedURI.startsWith(origin)
      )
        blocked();
    },
  );
}
