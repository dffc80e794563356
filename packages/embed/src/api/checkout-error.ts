/**
 * The error that a merchant's page receives. The iframe's errors arrive only as codes, so nothing from inside the
 * iframe is shown or logged. The explanations are on a page of the service (`/embed/v1/help`) to keep the loader small.
 */
import type { FrameErrorCode } from "@oriel/protocol/windows";

/** The iframe's error codes, and those that the loader adds. */
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
  declare readonly code: CheckoutErrorCode;
  /** Whether mounting the same session again may work. Never true if {@link mayHavePaid} is. */
  declare readonly retryable: boolean;
  /** Whether the customer pressed Pay and the outcome is unknown. Check the session on your server. */
  declare readonly mayHavePaid: boolean;
  /** Ten characters that are also in the debug report. Include them when you contact the operator of the service. */
  declare readonly diagnosticId: string;
  /** URL of a page that explains the error and how to fix it. Empty if the service isn't known yet. */
  declare readonly docUrl: string;

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

/** Ten characters that identify a debug report. They aren't a secret. */
export const newDiagnosticId = (): string => Math.random().toString(36).padEnd(12, "0").slice(2, 12);
