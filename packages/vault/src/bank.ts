/**
 * The bank, as the vault sees it: the interface that any acquirer can stand behind. One adapter exists, `http-bank.ts`;
 * what every adapter owes is written as a suite in `test/bank-contract.ts`.
 *
 * Test mode and live mode have a bank each, and a bank is of its mode by type: where a test bank is wanted a live one
 * does not compile.
 *
 * An answer is an answer only when it was read whole. Anything else is one of the two errors below and means "unknown":
 * the money may have moved or not, and the caller asks again under the same reference, or looks it up, instead of
 * guessing.
 */
import type { AuthorizationRequest, CancelRequest, CaptureRequest, RefundRequest } from "@oriel/protocol/acquirer";
import type { DeclineCode } from "@oriel/protocol/declines";
import type { AReq, ARes, Erro, MessageVersion } from "@oriel/protocol/threeds";
import type { Mode } from "./mode.ts";

/** What a bank is asked to do with money. */
export type BankOperation = "authorize" | "capture" | "cancel" | "refund";

/** What the bank said of one of them, as far as it was read. */
export type BankAnswer = { status: "approved" } | { status: "declined"; declineCode: DeclineCode };

/**
 * Card numbers that take part in 3-D Secure, first and last inclusive and of equal length, whichever version of the
 * message listed them.
 */
export interface CardRange {
  start: string;
  end: string;
  /** Those that we speak too, oldest first; at least one. */
  versions: { version: MessageVersion; methodUrl: string | null }[];
}

/** An ARes that has what its status needs. What it tells the customer is text, in either version. */
export type AuthenticationResponse = Omit<ARes, "cardholderInfo"> & { cardholderInfo?: string };

/**
 * Money is moved under a reference of ours, once, however often it is sent. What moves money, and `lookup`, throws
 * BankUnreachableError or BankUnreadableError when the outcome is not known; what the bank will not do is an answer.
 */
export interface Bank<M extends Mode = Mode> {
  /** Whose money it moves: play money, or people's. */
  readonly mode: M;
  /** Card ranges that take part in 3-D Secure. @throws BankUnreachableError, BankUnreadableError */
  cardRanges(): Promise<CardRange[]>;
  /** In the version that the request is in. @throws BankUnreachableError, BankUnreadableError */
  authenticate(request: AReq): Promise<AuthenticationResponse | Erro>;
  /**
   * The result of a challenge or a decoupled authentication: the RReq that the bank has sent or tried to send. Null
   * while there is none, and where the bank doesn't answer such questions.
   * @throws BankUnreachableError
   */
  result(threeDSServerTransID: string): Promise<unknown>;
  /** Reserves the money, or takes it at once. */
  authorize(request: AuthorizationRequest): Promise<BankAnswer>;
  /** Takes what was reserved, or part of it; the rest is let go. */
  capture(request: CaptureRequest): Promise<BankAnswer>;
  /** Lets go of what was reserved. */
  cancel(request: CancelRequest): Promise<BankAnswer>;
  /** Gives back what was taken, or part of it. */
  refund(request: RefundRequest): Promise<BankAnswer>;
  /** What became of a reference; null when the bank has never heard of it, so that no money has moved under it. */
  lookup(kind: BankOperation, reference: string): Promise<BankAnswer | null>;
}

/** No answer came back. Whether the bank did anything is not known. Carries nothing that was sent. */
export class BankUnreachableError extends Error {
  override readonly name = "BankUnreachableError";
  constructor(what: string, reason: string) {
    super(`The bank did not answer ${what}: ${reason}`);
  }
}

/** The bank answered, but not with anything that can be read. Carries nothing that was sent. */
export class BankUnreadableError extends Error {
  override readonly name = "BankUnreadableError";
  constructor(what: string, reason: string) {
    super(`The bank's answer ${what} cannot be read: ${reason}`);
  }
}

/**
 * Says whether a question to the bank failed in a way that leaves the outcome open; anything else that is thrown is a
 * bug.
 */
export function isBankSilence(error: unknown): error is BankUnreachableError | BankUnreadableError {
  return error instanceof BankUnreachableError || error instanceof BankUnreadableError;
}
