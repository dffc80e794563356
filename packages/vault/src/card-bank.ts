/**
 * One mode's bank, asked about that mode's cards. The only place where a number leaves this service, and it leaves for
 * the bank of its own mode: the bank is of the mode by type, and a card of the other mode does not open.
 */
import type { AuthorizationRequest, CancelRequest, CaptureRequest, RefundRequest } from "@oriel/protocol/acquirer";
import type { DeclineCode } from "@oriel/protocol/declines";
import type { AReqWithoutCard, Erro, MessageVersion } from "@oriel/protocol/threeds";
import {
  BankUnreachableError,
  isBankSilence,
  type AuthenticationResponse,
  type Bank,
  type BankAnswer,
  type BankOperation,
  type CardRange,
} from "./bank.ts";
import { keepCardRanges } from "./card-ranges.ts";
import { eraseCvc, type Card, type CardOf } from "./card-store.ts";
import type { VaultDatabase } from "./vault-database.ts";
import type { Keyring } from "./keyring.ts";
import type { Mode } from "./mode.ts";
import { openCard } from "./open-card.ts";
import { testCard } from "./test-payment-methods.ts";
import type { VaultAudit } from "./vault-audit.ts";

/** What came of asking the bank to move money. */
export type BankOutcome =
  | { outcome: "approved" }
  | { outcome: "declined"; declineCode: DeclineCode }
  /** Nobody knows yet. Ask again with {@link CardBank.lookup}; never assume. */
  | { outcome: "unknown" };

export type CardRangeOf = { version: MessageVersion; methodUrl: string | null } | null | "unknown";

/**
 * Silence is the bank's; an answer that cannot be read may be about what we sent, and parts of that came from the
 * customer.
 */
export type AuthenticationAnswer = AuthenticationResponse | Erro | "silent" | "unreadable";

/**
 * What needs a card throws CardGoneError where the mode has none of that id (any more), and SealBrokenError where it
 * does not open: because its record was tampered with, or because it is another account's.
 */
export interface CardBank<M extends Mode = Mode> {
  readonly mode: M;
  /**
   * The highest version that we and the card's range speak; null when it does not take part, "unknown" when the bank
   * has never told who does.
   */
  cardRange(card: CardOf): Promise<CardRangeOf>;
  /** Puts the number into an authentication request and sends it. */
  authenticate(card: CardOf, request: AReqWithoutCard): Promise<AuthenticationAnswer>;
  /**
   * An RReq that did not arrive, unread. Null while the bank has none, "silent" when it gives no answer. Needs no card.
   */
  result(threeDSServerTransID: string): Promise<unknown>;
  /** Asks the bank for the money, and erases the CVC once it has answered. */
  authorize(card: CardOf, request: Omit<AuthorizationRequest, "card">): Promise<BankOutcome>;
  /** Captures what an authorization reserved. This and the next two need no card. */
  capture(request: CaptureRequest): Promise<BankOutcome>;
  cancel(request: CancelRequest): Promise<BankOutcome>;
  refund(request: RefundRequest): Promise<BankOutcome>;
  /**
   * What became of a reference, or `absent` when the bank has never heard of it. An authorization that it knows has
   * erased the CVC.
   */
  lookup(kind: BankOperation, reference: string, paymentMethodId: string): Promise<BankOutcome | { outcome: "absent" }>;
}

export interface CardBankParts {
  db: VaultDatabase;
  keyring: Keyring;
  now: () => Date;
  /** Hears what the operator should know of the bank and of the key file. Never card data. */
  warn: (message: string) => void;
  /** Writes down what must not be forgotten. Never card data. */
  audit: VaultAudit;
}

export function createCardBank<M extends Mode>(
  bank: Bank<M>,
  { db, keyring, now, warn, audit }: CardBankParts,
): CardBank<M> {
  const { mode } = bank;
  const knownRanges = keepCardRanges(bank, now, warn);

  return {
    mode,

    async cardRange(asked) {
      const { card } = await open(asked);
      const ranges = await knownRanges();
      if (ranges === null) return "unknown";
      return ranges.find((range) => isInRange(card.number, range))?.versions.at(-1) ?? null;
    },

    async authenticate(asked, request) {
      const { card } = await open(asked);
      try {
        return await bank.authenticate({ ...request, acctNumber: card.number, cardExpiryDate: yymm(card) });
      } catch (error) {
        if (!isBankSilence(error)) throw error;
        if (error instanceof BankUnreachableError) return "silent";
        warn(error.message);
        return "unreadable";
      }
    },

    async result(threeDSServerTransID) {
      try {
        return await bank.result(threeDSServerTransID);
      } catch (error) {
        if (isBankSilence(error)) return "silent";
        throw error;
      }
    },

    async authorize(asked, request) {
      const { card, cvc } = await open(asked);
      const { number, exp_month, exp_year } = card;
      const outcome = await outcomeOf(() =>
        bank.authorize({ ...request, card: { number, exp_month, exp_year, ...(cvc === null ? {} : { cvc }) } }),
      );
      if (outcome.outcome !== "unknown") await eraseCvc(db, asked.paymentMethodId);
      return outcome;
    },

    capture: (request) => outcomeOf(() => bank.capture(request)),
    cancel: (request) => outcomeOf(() => bank.cancel(request)),
    refund: (request) => outcomeOf(() => bank.refund(request)),

    async lookup(kind, reference, paymentMethodId) {
      const outcome = await outcomeOf(() => bank.lookup(kind, reference));
      const isAnswered = outcome.outcome === "approved" || outcome.outcome === "declined";
      if (kind === "authorize" && isAnswered) await eraseCvc(db, paymentMethodId);
      return outcome;
    },
  };

  async function open(asked: CardOf): Promise<{ card: Card; cvc: string | null }> {
    const test = mode === "test" ? testCard(asked.paymentMethodId, now()) : null;
    if (test !== null) return { card: test, cvc: null };
    const opened = await openCard(db, keyring, mode, asked, now(), audit);
    if (opened === null) throw new CardGoneError(asked.paymentMethodId);
    return opened;
  }
}

/** The vault does not hold this payment method's card (any more). */
export class CardGoneError extends Error {
  override readonly name = "CardGoneError";
  constructor(paymentMethodId: string) {
    super(`The card of payment method ${paymentMethodId} is not kept any more.`);
  }
}

/** What the bank says, or that it did not say anything that can be used. */
async function outcomeOf(ask: () => Promise<BankAnswer>): Promise<BankOutcome>;
async function outcomeOf(ask: () => Promise<BankAnswer | null>): Promise<BankOutcome | { outcome: "absent" }>;
async function outcomeOf(ask: () => Promise<BankAnswer | null>): Promise<BankOutcome | { outcome: "absent" }> {
  try {
    const answer = await ask();
    if (answer === null) return { outcome: "absent" };
    return answer.status === "approved"
      ? { outcome: "approved" }
      : { outcome: "declined", declineCode: answer.declineCode };
  } catch (error) {
    if (isBankSilence(error)) return { outcome: "unknown" };
    throw error;
  }
}

function isInRange(number: string, { start, end }: CardRange): boolean {
  return number.length === start.length && number >= start && number <= end;
}

function yymm(card: Card): string {
  return `${String(card.exp_year).slice(2)}${String(card.exp_month).padStart(2, "0")}`;
}
