/**
 * Finds out why an iframe doesn't respond. Browsers don't tell a page why an iframe was blocked: an origin that isn't
 * allowed, an unreachable server and a blocked document all look as if the iframe is still loading. So a hidden second
 * iframe loads `/embed/v1/why`, which anyone may embed and which contains no card fields or secrets. It reports whether
 * the session is open and whether this page may embed it. If that iframe doesn't respond either, the cause is the
 * network.
 */
import { type FrameEvents, readFrameEvent } from "@oriel/protocol/windows";
import type { EmbedUrl } from "../api/embed-url.ts";
import { createElement, onDocument, removeNode } from "../page/host-document.ts";
import { createConnection } from "./send-init.ts";

export type Why = FrameEvents["why"];

/** The hidden iframe's time limit in milliseconds. */
const limitMs = 4_000;

/** @returns null if there was no response */
export const findReason = (url: EmbedUrl, diagnosticId: string, near: Element): Promise<Why | null> =>
  new Promise((resolve) => {
    const frame = createElement("iframe");
    const end = (reason: Why | null) => {
      clearTimeout(timer);
      connection.closePort();
      removeNode(frame);
      resolve(reason);
    };
    const timer = setTimeout(end, limitMs, null);
    const connection = createConnection(frame, url.origin, (name, detail) => {
      const event = readFrameEvent(name, detail);
      if (event?.name === "why") end(event.detail);
    });
    frame.addEventListener("load", connection.openPort);
    frame.hidden = true;
    frame.style.setProperty("display", "none");
    frame.src = `${url.origin}/embed/v1/why?session=${url.sessionId}&d=${diagnosticId}`;
    near.append(frame);
  });

/**
 * Calls `blocked` when this page's Content-Security-Policy blocks an iframe from the origin.
 * @returns a function that stops listening
 */
export const watchPolicy = (origin: string, blocked: () => void): (() => void) =>
  onDocument<SecurityPolicyViolationEvent>(
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
