/**
 * Sends one mode's cards to an acquirer of that mode. A card number leaves the service only here and in
 * `card-three-ds.ts`. The acquirer's mode is part of its type, and a card of the other mode can't be decrypted.
 */
import type { DeclineCode } from "@oriel/protocol/declines";
import type {
  AcquirerReply,
  Authorization,
  Capabilities,
  Details,
  LaterOperation,
  MoneyOperation,
  OperationKind,
  Reversal,
  UnknownOutcome,
} from "../connectors/acquirer.ts";
import type { Connector } from "../connectors/connector.ts";
import { isOutcomeUnknown } from "../connectors/errors.ts";
import type { Keyring } from "../keys/keyring.ts";
import type { Mode } from "../mode.ts";
import type { VaultAudit } from "../vault-audit.ts";
import type { VaultDatabase } from "../vault-database.ts";
import type { Card, CardOf } from "./card-store.ts";
import { createCardThreeDS, type CardThreeDS } from "./card-three-ds.ts";
import { openCard } from "./open-card.ts";
import { testCard } from "./test-payment-methods.ts";

/** The outcome of an operation at the acquirer. */
export type AcquirerOutcome =
  | { outcome: "approved"; details: Details }
  | { outcome: "declined"; declineCode: DeclineCode; details: Details }
  /** Accepted. A notification has the outcome. If lookups are possible, one finds it, too. */
  | { outcome: "pending"; details: Details }
  /**
   * Not known yet. {@link CardAcquirer.resolves} says how to find it. Never assume an outcome. `reason` is for the log, and
   * contains nothing of the card.
   */
  | { outcome: "unknown"; reason: string }
  /**
   * Only for a repeated authorization: it can't be sent exactly as at first, because its CVC or card is gone. Nothing was
   * sent, and the outcome of the first request is unknown.
   */
  | { outcome: "not_repeatable" };

export type CardAuthorization = Omit<Authorization, "card"> & {
  /** Whether the request has the card's CVC. A card that was saved earlier has none, and neither has a second request. */
  usesCvc: boolean;
};

/**
 * Methods that need a card throw CardGoneError if the mode has no card with this ID, and SealBrokenError if it can't be
 * decrypted: its record was tampered with, or it belongs to another account.
 */
export interface CardAcquirer<M extends Mode = Mode> {
  readonly mode: M;
  readonly capabilities: Capabilities;
  /**
   * How an unknown outcome is found: with {@link lookup}, or by sending exactly the same request again within `safeForMs`
   * and then {@link reverse}.
   */
  readonly resolves: { by: "reference" } | { by: "replay"; safeForMs: number };
  readonly threeDS: CardThreeDS;
  /**
   * Requests an authorization. Once its outcome is committed, erase the CVC. Until then it's needed, because the same
   * request may have to be sent again.
   *
   * `no_cvc`: the CVC of a first request is gone, and outcomes are resolved by `replay`. Nothing was sent. Remember that
   * the request has no CVC, and send it and its repetitions without one.
   */
  authorize(card: CardOf, request: CardAuthorization): Promise<AcquirerOutcome | { outcome: "no_cvc" }>;
  /** Captures a reservation. This and the next two methods need no card. */
  capture(request: MoneyOperation): Promise<AcquirerOutcome>;
  cancel(request: LaterOperation): Promise<AcquirerOutcome>;
  refund(request: MoneyOperation): Promise<AcquirerOutcome>;
  cancelOrRefund(request: MoneyOperation): Promise<AcquirerOutcome>;
  /**
   * Releases an authorization whose outcome is unknown, by its reference. Only if outcomes are resolved by `replay`. A bug
   * otherwise.
   */
  reverse(request: Reversal): Promise<AcquirerOutcome>;
  /**
   * The outcome of a reference, or `absent` if the acquirer never received it. Only if outcomes are resolved by
   * `reference`. A bug otherwise.
   */
  lookup(kind: OperationKind, reference: string): Promise<AcquirerOutcome | { outcome: "absent" }>;
}

export interface CardAcquirerParts {
  db: VaultDatabase;
  keyring: Keyring;
  now: () => Date;
  /** Receives warnings for the operator about the acquirer and the key file. Never card data. */
  warn: (message: string) => void;
  /** Records audit entries. Never card data. */
  audit: VaultAudit;
}

export function createCardAcquirer<M extends Mode>(
  { acquirer, threeDSServer }: Connector<M>,
  { db, keyring, now, warn, audit }: CardAcquirerParts,
): CardAcquirer<M> {
  const { mode, capabilities, unknownOutcome } = acquirer;
  const isByReplay = unknownOutcome.by === "replay";

  return {
    mode,
    capabilities,
    resolves:
      unknownOutcome.by === "reference" ? { by: "reference" } : { by: "replay", safeForMs: unknownOutcome.safeForMs },

    threeDS: createCardThreeDS(threeDSServer, { open, warn }),

    async authorize(cardOf, { usesCvc, ...request }) {
      const opened = isByReplay && request.isRepeated ? await read(cardOf) : await open(cardOf);
      if (opened === null) return { outcome: "not_repeatable" };
      const { number, exp_month: expMonth, exp_year: expYear } = opened.card;
      const cvc = usesCvc ? opened.cvc : null;
      if (isByReplay && usesCvc && cvc === null) return { outcome: request.isRepeated ? "not_repeatable" : "no_cvc" };
      return await outcomeOf(() =>
        acquirer.authorize({ ...request, card: { number, expMonth, expYear, ...(cvc ? { cvc } : {}) } }),
      );
    },

    capture: (request) => outcomeOf(() => acquirer.capture(request)),
    cancel: (request) => outcomeOf(() => acquirer.cancel(request)),
    refund: (request) => outcomeOf(() => acquirer.refund(request)),
    cancelOrRefund: (request) => outcomeOf(() => acquirer.cancelOrRefund(request)),

    reverse: (request) => outcomeOf(() => resolvingBy("replay").reverse(request)),

    lookup: (kind, reference) => outcomeOf(() => resolvingBy("reference").lookup(kind, reference)),
  };

  function resolvingBy<By extends UnknownOutcome["by"]>(by: By): Extract<UnknownOutcome, { by: By }> {
    if (unknownOutcome.by !== by) throw new Error(`Bug: the acquirer doesn't resolve unknown outcomes by ${by}`);
    return unknownOutcome as Extract<UnknownOutcome, { by: By }>; // just checked
  }

  async function open(cardOf: CardOf): Promise<{ card: Card; cvc: string | null }> {
    const opened = await read(cardOf);
    if (opened === null) throw new CardGoneError(cardOf.paymentMethodId);
    return opened;
  }

  async function read(cardOf: CardOf): Promise<{ card: Card; cvc: string | null } | null> {
    const test = mode === "test" ? testCard(cardOf.paymentMethodId, now()) : null;
    return test === null ? await openCard(db, keyring, mode, cardOf, now(), audit) : { card: test, cvc: null };
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
async function outcomeOf(call: () => Promise<AcquirerReply>): Promise<AcquirerOutcome>;
async function outcomeOf(call: () => Promise<AcquirerReply | null>): Promise<AcquirerOutcome | { outcome: "absent" }>;
async function outcomeOf(call: () => Promise<AcquirerReply | null>): Promise<AcquirerOutcome | { outcome: "absent" }> {
  try {
    const reply = await call();
    switch (reply?.status) {
      case "approved":
        return { outcome: "approved", details: reply.details };
      case "declined":
        return { outcome: "declined", declineCode: reply.declineCode, details: reply.details };
      case "pending":
        return { outcome: "pending", details: reply.details };
      case undefined:
        return { outcome: "absent" };
    }
  } catch (error) {
    if (isOutcomeUnknown(error)) return { outcome: "unknown", reason: error.message };
    throw error;
  }
}
