/**
 * Sends one mode's cards to that mode's acquirer. This is the only place where a card number leaves the service. The
 * acquirer's mode is part of its type, and a card of the other mode can't be decrypted.
 */
import type { DeclineCode } from "@oriel/protocol/declines";
import type { AReqWithoutCard, Erro } from "@oriel/protocol/threeds";
import { eraseCvc, type Card, type CardOf } from "./card-store.ts";
import type {
  AcquirerReply,
  Authorization,
  Details,
  LaterOperation,
  MoneyOperation,
  OperationKind,
} from "./connectors/acquirer.ts";
import { isOutcomeUnknown, NoReplyError } from "./connectors/errors.ts";
import type { ConnectorWithLookup } from "./connectors/connector.ts";
import type { AuthenticationResponse, Enrollment } from "./connectors/three-ds-server.ts";
import type { VaultDatabase } from "./vault-database.ts";
import type { Keyring } from "./keyring.ts";
import type { Mode } from "./mode.ts";
import { openCard } from "./open-card.ts";
import { testCard } from "./test-payment-methods.ts";
import type { VaultAudit } from "./vault-audit.ts";

/** The outcome of an operation at the acquirer. */
export type BankOutcome =
  | { outcome: "approved"; details: Details }
  | { outcome: "declined"; declineCode: DeclineCode; details: Details }
  /** Not known yet. Use {@link CardBank.lookup}, and never assume an outcome. */
  | { outcome: "unknown" };

/**
 * "silent": the acquirer didn't respond. "unreadable": the response is invalid, possibly because of what we sent, and
 * parts of that came from the customer.
 */
export type AuthenticationAnswer = AuthenticationResponse | Erro | "silent" | "unreadable";

/**
 * Methods that need a card throw CardGoneError if the mode has no card with this ID, and SealBrokenError if it can't be
 * decrypted: its record was tampered with, or it belongs to another account.
 */
export interface CardBank<M extends Mode = Mode> {
  readonly mode: M;
  enrollment(card: CardOf): Promise<Enrollment>;
  /** Adds the card number to an authentication request and sends it. */
  authenticate(card: CardOf, request: AReqWithoutCard): Promise<AuthenticationAnswer>;
  /**
   * Fetches an RReq that didn't arrive, and doesn't validate it. Null if there's none yet, "silent" if the acquirer
   * doesn't respond. Needs no card.
   */
  result(threeDSServerTransID: string): Promise<unknown>;
  /** Requests an authorization, and erases the CVC once there's a result. */
  authorize(card: CardOf, request: Omit<Authorization, "card">): Promise<BankOutcome>;
  /** Captures a reservation. This and the next two methods need no card. */
  capture(request: MoneyOperation): Promise<BankOutcome>;
  cancel(request: LaterOperation): Promise<BankOutcome>;
  refund(request: MoneyOperation): Promise<BankOutcome>;
  /**
   * The outcome of a reference, or `absent` if the acquirer never received it. Erases the CVC if an authorization has a
   * result.
   */
  lookup(kind: OperationKind, reference: string, paymentMethodId: string): Promise<BankOutcome | { outcome: "absent" }>;
}

export interface CardBankParts {
  db: VaultDatabase;
  keyring: Keyring;
  now: () => Date;
  /** Receives warnings for the operator about the acquirer and the key file. Never card data. */
  warn: (message: string) => void;
  /** Records audit entries. Never card data. */
  audit: VaultAudit;
}

export function createCardBank<M extends Mode>(
  { acquirer, threeDSServer }: ConnectorWithLookup<M>,
  { db, keyring, now, warn, audit }: CardBankParts,
): CardBank<M> {
  const { mode } = acquirer;

  return {
    mode,

    async enrollment(asked) {
      const { card } = await open(asked);
      return await threeDSServer.enrollment(card.number);
    },

    async authenticate(asked, request) {
      const { card } = await open(asked);
      try {
        return await threeDSServer.authenticate({ ...request, acctNumber: card.number, cardExpiryDate: yymm(card) });
      } catch (error) {
        if (!isOutcomeUnknown(error)) throw error;
        if (error instanceof NoReplyError) return "silent";
        warn(error.message);
        return "unreadable";
      }
    },

    async result(threeDSServerTransID) {
      try {
        return await threeDSServer.result(threeDSServerTransID);
      } catch (error) {
        if (isOutcomeUnknown(error)) return "silent";
        throw error;
      }
    },

    async authorize(asked, request) {
      const { card, cvc } = await open(asked);
      const { number, exp_month: expMonth, exp_year: expYear } = card;
      const outcome = await outcomeOf(() =>
        acquirer.authorize({ ...request, card: { number, expMonth, expYear, ...(cvc === null ? {} : { cvc }) } }),
      );
      if (cvc !== null && outcome.outcome !== "unknown") await eraseCvc(db, asked.paymentMethodId);
      return outcome;
    },

    capture: (request) => outcomeOf(() => acquirer.capture(request)),
    cancel: (request) => outcomeOf(() => acquirer.cancel(request)),
    refund: (request) => outcomeOf(() => acquirer.refund(request)),

    async lookup(kind, reference, paymentMethodId) {
      const outcome = await outcomeOf(() => acquirer.unknownOutcome.lookup(kind, reference));
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

/** The vault no longer has this payment method's card. */
export class CardGoneError extends Error {
  override readonly name = "CardGoneError";
  constructor(paymentMethodId: string) {
    super(`The card of payment method ${paymentMethodId} is no longer stored.`);
  }
}

/** Maps a missing or invalid response to "unknown". */
async function outcomeOf(ask: () => Promise<AcquirerReply>): Promise<BankOutcome>;
async function outcomeOf(ask: () => Promise<AcquirerReply | null>): Promise<BankOutcome | { outcome: "absent" }>;
async function outcomeOf(ask: () => Promise<AcquirerReply | null>): Promise<BankOutcome | { outcome: "absent" }> {
  try {
    const reply = await ask();
    switch (reply?.status) {
      case "approved":
        return { outcome: "approved", details: reply.details };
      case "declined":
        return { outcome: "declined", declineCode: reply.declineCode, details: reply.details };
      case "pending":
        return { outcome: "unknown" }; // a lookup finds it later
      case undefined:
        return { outcome: "absent" };
    }
  } catch (error) {
    if (isOutcomeUnknown(error)) return { outcome: "unknown" };
    throw error;
  }
}

function yymm(card: Card): string {
  return `${String(card.exp_year).slice(2)}${String(card.exp_month).padStart(2, "0")}`;
}
