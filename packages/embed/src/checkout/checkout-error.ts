/**
 * Why a checkout cannot go on, as the merchant's code sees it: a stable code, whether trying again may help, where it
 * says what to do. The frame's own errors arrive as a code only, so nothing from inside the frame is shown or logged.
 * The sentences stand on a page that the service serves (`/embed/v1/help`), because a loader that carried them would be
 * heavier for everyone.
 */
import type { FrameErrorCode } from "@oriel/protocol/windows";

/** The frame's codes, and those that only the page can know. */
export type CheckoutErrorCode =
  | FrameErrorCode
  | "script_blocked"
  | "csp_blocked"
  | "frame_refused"
  | "frame_hidden"
  | "handshake_timeout"
  | "origin_not_allowed"
  | "submit_not_allowed"
  | "destroyed";

/**
 * @example checkout.on("error", ({ code, docUrl }) => report(code, docUrl));
 */
export class CheckoutError extends Error {
  override readonly name = "CheckoutError";
  readonly code: CheckoutErrorCode;
  /** Mounting the same session again may work. Never true with {@link mayHavePaid}. */
  readonly retryable: boolean;
  /** Pay was pressed and the outcome is not known: only your server can tell. */
  readonly mayHavePaid: boolean;
  /** Ten characters that stand in the debug report too: quote them to whoever runs the service. */
  readonly diagnosticId: string;
  /** What happened and what to do, in words; empty while no service is known. */
  readonly docUrl: string;

  constructor(
    code: CheckoutErrorCode,
    origin = "",
    diagnosticId = newDiagnosticId(),
    mayHavePaid = false,
    cause?: unknown,
  ) {
    const docUrl = origin && `${origin}/embed/v1/help#${code}`;
    super(`Oriel: ${code}. ${docUrl}`, cause === undefined ? undefined : { cause });
    this.code = code;
    this.mayHavePaid = mayHavePaid;
    this.retryable = !mayHavePaid && /^(handshake_timeout|network|internal|script_blocked)$/.test(code);
    this.diagnosticId = diagnosticId;
    this.docUrl = docUrl;
  }
}

/** Ten characters to find a report by; nothing is kept secret with them. */
export function newDiagnosticId(): string {
  return Math.random().toString(36).padEnd(12, "0").slice(2, 12);
}
