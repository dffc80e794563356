/**
 * The front door of the vault: the only code on the server that may see a card number.
 *
 * It takes a card in as an encrypted message, gives a payment method's brand and last four digits back, and speaks to the bank about it.
 * No number, code or expiry beyond what {@link CardSummary} shows comes out of here: not in a result, not in an error, not in a log.
 *
 * Trusts: its own key file, the bank's answers. Refuses: messages that are not under its key, not of this session, stale or used before.
 */
import { cardBrand, type CardBrand } from "@oriel/protocol/card";
import type { AuthorizationRequest } from "@oriel/protocol/acquirer";
import type { DeclineCode } from "@oriel/protocol/errors";
import type { CardEncryption } from "@oriel/protocol/frame";
import type { AReqWithoutCard, ARes, CardRange, Erro } from "@oriel/protocol/threeds";
import { BankUnreachableError, BankUnreadableError, type Bank, type BankAnswer } from "./bank.ts";
import { newCardEncryption, readCardMessage } from "./card-message.ts";
import { eraseCards, eraseExpired, eraseCvc, loadCard, storeCard, type Card, type VaultDatabase } from "./card-store.ts";
import type { Keyring } from "./keyring.ts";
import { testCard } from "./test-payment-methods.ts";

/** What may be known of a card outside the vault. */
export interface CardSummary {
  brand: CardBrand;
  last4: string;
  expMonth: number;
  expYear: number;
}

export type StoreCardResult =
  | { ok: true; summary: CardSummary }
  | { ok: false; refusal: "card_message_stale" | "card_message_invalid" };

export type AuthorizationOutcome =
  | { outcome: "approved" }
  | { outcome: "declined"; declineCode: DeclineCode }
  /** Nobody knows yet. Ask again with {@link Vault.lookup}; never assume. */
  | { outcome: "unknown" };

export type CardRangeOf = { version: string; methodUrl: string | null } | null | "unknown";

/** Silence is the bank's; an answer that cannot be read may be about what we sent, and parts of that came from the customer. */
export type AuthenticationAnswer = ARes | Erro | "silent" | "unreadable";

export interface Vault {
  /** Key and fresh nonce for one card message of one session. */
  encryption(sessionId: string): CardEncryption;
  /** Takes a card in under a payment method's id. */
  storeCard(entry: {
    message: string;
    sessionId: string;
    paymentMethodId: string;
    accountId: string;
    mode: "test" | "live";
    keepUntil: Date;
  }): Promise<StoreCardResult>;
  /** The card's range in 3-D Secure; null when it does not take part, "unknown" when the bank has never told who does. */
  cardRange(paymentMethodId: string): Promise<CardRangeOf>;
  /** Puts the number into an authentication request and sends it. */
  authenticate(paymentMethodId: string, request: AReqWithoutCard): Promise<AuthenticationAnswer>;
  /** Asks the bank for the money, and erases the CVC once it has answered. */
  authorize(paymentMethodId: string, request: Omit<AuthorizationRequest, "card">): Promise<AuthorizationOutcome>;
  /** What became of a reference: as {@link Vault.authorize}, or `absent` when the bank has never heard of it. */
  lookup(paymentMethodId: string, reference: string): Promise<AuthorizationOutcome | { outcome: "absent" }>;
  erase(paymentMethodIds: readonly string[]): Promise<void>;
  /** Erases every code and card that has outlived its time. */
  sweep(): Promise<void>;
}

export interface VaultParts {
  db: VaultDatabase;
  bank: Bank;
  keyring: Keyring;
  now: () => Date;
  /** Hears what the operator should know of the bank. Never card data. */
  warn: (message: string) => void;
}

/** How long a table of card ranges is believed. The specification asks for a fresh one once a day at least, once an hour at most. */
const cardRangesLifetimeMs = 60 * 60 * 1000;
/** How long the bank is left alone after it could not tell. */
const cardRangesPauseMs = 30 * 1000;

export function createVault({ db, bank, keyring, now, warn }: VaultParts): Vault {
  let table: { ranges: CardRange[] | null; askAgainAt: number } = { ranges: null, askAgainAt: 0 };
  let renewal: Promise<void> | null = null;

  return {
    encryption: (sessionId) => newCardEncryption(keyring, sessionId, now()),

    async storeCard({ message, sessionId, ...entry }) {
      const reading = await readCardMessage(keyring, message, sessionId, now());
      if (!reading.ok) return reading;
      const { cvc, ...card } = reading.card;
      const { nonce, nonceExpiresAt } = reading;
      const stored = await storeCard(db, keyring, { ...entry, card, cvc, nonce, nonceExpiresAt }, now());
      return stored ? { ok: true, summary: summarize(card) } : { ok: false, refusal: "card_message_stale" };
    },

    async cardRange(paymentMethodId) {
      const { card } = await cardOf(paymentMethodId);
      const ranges = await knownCardRanges();
      if (ranges === null) return "unknown";
      const range = ranges.find(({ startRange, endRange }) => isInRange(card.number, startRange, endRange));
      return range === undefined ? null : { version: range.acsEndProtocolVersion, methodUrl: range.threeDSMethodURL ?? null };
    },

    async authenticate(paymentMethodId, request) {
      const { card } = await cardOf(paymentMethodId);
      try {
        return await bank.authenticate({ ...request, acctNumber: card.number, cardExpiryDate: yymm(card) });
      } catch (error) {
        if (error instanceof BankUnreachableError) return "silent";
        if (!(error instanceof BankUnreadableError)) throw error;
        warn(error.message);
        return "unreadable";
      }
    },

    async authorize(paymentMethodId, request) {
      const { card, cvc } = await cardOf(paymentMethodId);
      const { number, exp_month, exp_year } = card;
      return await answerOf(paymentMethodId, () =>
        bank.authorize({ ...request, card: { number, exp_month, exp_year, ...(cvc === null ? {} : { cvc }) } }),
      );
    },

    async lookup(paymentMethodId, reference) {
      return await answerOf(paymentMethodId, () => bank.lookup(reference));
    },

    erase: (paymentMethodIds) => eraseCards(db, paymentMethodIds),

    sweep: () => eraseExpired(db, now()),
  };

  async function cardOf(paymentMethodId: string): Promise<{ card: Card; cvc: string | null }> {
    const test = testCard(paymentMethodId, now());
    if (test !== null) return { card: test, cvc: null };
    const stored = await loadCard(db, keyring, paymentMethodId, now());
    if (stored === null) throw new CardGoneError(paymentMethodId);
    return stored;
  }

  /** The bank's answer, or that there is none. A bank that has answered needs the CVC no more. */
  async function answerOf<A extends BankAnswer | null>(
    paymentMethodId: string,
    ask: () => Promise<A>,
  ): Promise<AuthorizationOutcome | (null extends A ? { outcome: "absent" } : never)> {
    type Answer = AuthorizationOutcome | (null extends A ? { outcome: "absent" } : never);
    try {
      const answer = await ask();
      if (answer === null) return { outcome: "absent" } as Answer; // null comes from a lookup only, whose type has this member
      await eraseCvc(db, paymentMethodId);
      return answer.status === "approved" ? { outcome: "approved" } : { outcome: "declined", declineCode: answer.declineCode };
    } catch (error) {
      if (error instanceof BankUnreachableError || error instanceof BankUnreadableError) return { outcome: "unknown" };
      throw error;
    }
  }

  /**
   * One question at a time, whoever asks; a table that cannot be renewed stays in use, and after a failure the bank is left alone for a while.
   * Null: there is no table, so nobody can say who takes part.
   */
  async function knownCardRanges(): Promise<CardRange[] | null> {
    const time = now().getTime();
    if (time < table.askAgainAt) return table.ranges;
    renewal ??= bank
      .cardRanges()
      .then((ranges) => void (table = { ranges, askAgainAt: time + cardRangesLifetimeMs }))
      .catch((error: unknown) => {
        if (!(error instanceof BankUnreachableError || error instanceof BankUnreadableError)) throw error;
        table = { ranges: table.ranges, askAgainAt: time + cardRangesPauseMs };
        warn(error.message);
      })
      .finally(() => (renewal = null));
    await renewal;
    return table.ranges;
  }
}

/** The vault does not hold this payment method's card (any more). */
export class CardGoneError extends Error {
  override readonly name = "CardGoneError";
  constructor(paymentMethodId: string) {
    super(`The card of payment method ${paymentMethodId} is not kept any more.`);
  }
}

function summarize(card: Card): CardSummary {
  return { brand: cardBrand(card.number), last4: card.number.slice(-4), expMonth: card.exp_month, expYear: card.exp_year };
}

function isInRange(number: string, startRange: string, endRange: string): boolean {
  return number.length === startRange.length && number >= startRange && number <= endRange;
}

function yymm(card: Card): string {
  return `${String(card.exp_year).slice(-2)}${String(card.exp_month).padStart(2, "0")}`;
}
