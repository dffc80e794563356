/**
 * The acquirer as the vault sees it. Every adapter implements this interface and must pass `test/bank-contract.ts`. The
 * only one is `http-bank.ts`.
 *
 * Test mode and live mode have separate acquirers, and the mode is part of the type: code that needs a test acquirer
 * doesn't compile with a live one.
 *
 * A result is returned only if the response was complete. Otherwise one of the errors below is thrown and the outcome
 * is unknown: the money may have moved or not. The caller then retries with the same reference or looks it up.
 */
import type { AuthorizationRequest, CancelRequest, CaptureRequest, RefundRequest } from "@oriel/protocol/acquirer";
import type { DeclineCode } from "@oriel/protocol/declines";
import type { AReq, ARes, Erro, MessageVersion } from "@oriel/protocol/threeds";
import type { Mode } from "./mode.ts";

/** Operations that move money. */
export type BankOperation = "authorize" | "capture" | "cancel" | "refund";

/** The acquirer's result of an operation. */
export type BankAnswer = { status: "approved" } | { status: "declined"; declineCode: DeclineCode };

/**
 * A range of card numbers that are enrolled in 3-D Secure, from a message of any version. `start` and `end` are
 * inclusive and have the same length.
 */
export interface CardRange {
  start: string;
  end: string;
  /** The versions that we also support, oldest first. At least one. */
  versions: { version: MessageVersion; methodUrl: string | null }[];
}

/**
 * An ARes with all fields that its status requires. The text for the customer is always a string, whatever the version.
 */
export type AuthenticationResponse = Omit<ARes, "cardholderInfo"> & { cardholderInfo?: string };

/**
 * Every operation has a reference that we choose, and runs only once, however often it's sent. Operations and `lookup`
 * throw BankUnreachableError or BankUnreadableError if the outcome is unknown. A decline is a result.
 */
export interface Bank<M extends Mode = Mode> {
  /** Test or live money. */
  readonly mode: M;
  /** Card ranges that are enrolled in 3-D Secure. @throws BankUnreachableError, BankUnreadableError */
  cardRanges(): Promise<CardRange[]>;
  /** Uses the message version of the request. @throws BankUnreachableError, BankUnreadableError */
  authenticate(request: AReq): Promise<AuthenticationResponse | Erro>;
  /**
   * The result of a challenge or a decoupled authentication: the RReq that the acquirer sent or tried to send. Null if
   * there's none yet, or if the acquirer doesn't support the request.
   *
   * @throws BankUnreachableError
   */
  result(threeDSServerTransID: string): Promise<unknown>;
  /** Reserves the money, or captures it at once. */
  authorize(request: AuthorizationRequest): Promise<BankAnswer>;
  /** Captures all or part of a reservation. The rest is released. */
  capture(request: CaptureRequest): Promise<BankAnswer>;
  /** Releases a reservation. */
  cancel(request: CancelRequest): Promise<BankAnswer>;
  /** Refunds all or part of a captured amount. */
  refund(request: RefundRequest): Promise<BankAnswer>;
  /** The result of a reference. Null if the acquirer never received it, so no money has moved. */
  lookup(kind: BankOperation, reference: string): Promise<BankAnswer | null>;
}

/** No response arrived, so the outcome is unknown. Contains nothing that was sent. */
export class BankUnreachableError extends Error {
  override readonly name = "BankUnreachableError";
  constructor(what: string, reason: string) {
    super(`The acquirer didn't respond to ${what}: ${reason}`);
  }
}

/** A response arrived, but it's invalid. Contains nothing that was sent. */
export class BankUnreadableError extends Error {
  override readonly name = "BankUnreadableError";
  constructor(what: string, reason: string) {
    super(`The acquirer's response ${what} is invalid: ${reason}`);
  }
}

/** Whether an error means that the outcome is unknown. Any other error is a bug. */
export function isBankSilence(error: unknown): error is BankUnreachableError | BankUnreadableError {
  return error instanceof BankUnreachableError || error instanceof BankUnreadableError;
}
