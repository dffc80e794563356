/**
 * Why a checkout cannot go on, as the merchant's code sees it: a stable code, whether trying again may help, a sentence on what to do.
 * The frame's own errors arrive as a code only; the sentences live here, so that nothing from inside the frame is shown or logged.
 */
import type { FrameErrorCode } from "@oriel/protocol/windows";

/** The frame's codes, and the two that only the page can know. */
export type CheckoutErrorCode = FrameErrorCode | "handshake_timeout" | "destroyed";

export class CheckoutError extends Error {
  override readonly name = "CheckoutError";
  readonly code: CheckoutErrorCode;
  /** Mounting the same session again may work. */
  readonly retryable: boolean;

  constructor(code: CheckoutErrorCode) {
    super(sentences[code]);
    this.code = code;
    this.retryable = code === "handshake_timeout" || code === "network" || code === "internal";
  }
}

const sentences: Record<CheckoutErrorCode, string> = {
  session_invalid: "The session is unknown or its secret is wrong: create a new session and pass its whole embed_url.",
  session_expired: "The session is over: create a new one.",
  unsupported_browser: "This browser cannot encrypt a card.",
  protocol_mismatch: "The loader and the frame share no version: load a newer loader.",
  network: "The frame could not reach the payment service.",
  internal: "The payment service failed.",
  handshake_timeout:
    "The frame did not answer: look at frame-src in this page's CSP, at the session's allowed_origins, and at the network.",
  destroyed: "The checkout was destroyed before its form could be used.",
};
