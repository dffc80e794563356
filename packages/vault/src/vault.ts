/**
 * The front door of the vault: the only code on the server that may see a card number.
 *
 * It takes a card in as an encrypted message, gives a payment method's brand and last four digits back, and speaks to the bank about it.
 * No number, code or expiry beyond what {@link CardSummary} shows comes out of here: not in a result, not in an error, not in a log.
 *
 * Trusts: its own key file, the bank's answers. Refuses: messages that are not under its key, not of this session, stale or used before; records
 * that are not what was stored, which are audited; and a key file that does not belong to the database.
 */
import { cardBrand, type CardBrand } from "@oriel/protocol/card";
import type { CardNetwork } from "@oriel/protocol/card-networks";
import type { AuthorizationRequest, CancelRequest, CaptureRequest, RefundRequest } from "@oriel/protocol/acquirer";
import type { DeclineCode } from "@oriel/protocol/declines";
import type { CardEncryption } from "@oriel/protocol/frame";
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
import { newCardEncryption, readCardMessage } from "./card-message.ts";
import {
  eraseCards,
  eraseExpired,
  eraseCvc,
  keepCard,
  storeCard,
  type Card,
  type CardToStore,
  type VaultDatabase,
} from "./card-store.ts";
import { fingerprintOf } from "./fingerprint.ts";
import { KeyFileError } from "./key-file.ts";
import { checkKeys, retireEmptyKeys } from "./key-register.ts";
import type { Keyring } from "./keyring.ts";
import { openCard } from "./open-card.ts";
import { dropRetiredKeys } from "./rotate-keys.ts";
import type { VaultAudit } from "./vault-audit.ts";
import { isTestCardNumber } from "./test-card-numbers.ts";
import { testCard } from "./test-payment-methods.ts";

/** What may be known of a card outside the vault. */
export interface CardSummary {
  brand: CardBrand;
  last4: string;
  expMonth: number;
  expYear: number;
  /** The network that the customer chose for it, of two; null where nothing was chosen. Not kept here: it is handed back with `authorize`. */
  network: CardNetwork | null;
}

export type StoreCardResult =
  /** `fingerprint` is the same for the same number in the same mode, 32 bytes. The operator's: no merchant and no browser may see it. */
  | { ok: true; summary: CardSummary; fingerprint: Buffer }
  | { ok: false; refusal: "card_message_stale" | "card_message_invalid" | "not_a_test_card" };

/** What came of asking the bank to move money. */
export type BankOutcome =
  | { outcome: "approved" }
  | { outcome: "declined"; declineCode: DeclineCode }
  /** Nobody knows yet. Ask again with {@link Vault.lookup}; never assume. */
  | { outcome: "unknown" };

export type CardRangeOf = { version: MessageVersion; methodUrl: string | null } | null | "unknown";

/** Silence is the bank's; an answer that cannot be read may be about what we sent, and parts of that came from the customer. */
export type AuthenticationAnswer = AuthenticationResponse | Erro | "silent" | "unreadable";

export interface Vault {
  /**
   * Makes sure that the key file belongs to the database, and registers its keys there. To be called once, before anything else.
   * @throws KeyFileError when it does not; nothing was written then
   */
  checkKeys(): Promise<void>;
  /** Key and fresh nonce for one card message of one session. */
  encryption(sessionId: string): CardEncryption;
  /** Takes a card in under a payment method's id. */
  storeCard(entry: {
    message: string;
    sessionId: string;
    paymentMethodId: string;
    accountId: string;
    mode: "test" | "live";
    /** Null: until it is erased. */
    keepUntil: Date | null;
  }): Promise<StoreCardResult>;
  /** Keeps a card until it is erased; false when it is gone already. */
  keep(paymentMethodId: string): Promise<boolean>;
  /** The highest version that we and the card's range speak; null when it does not take part, "unknown" when the bank has never told who does. */
  cardRange(paymentMethodId: string): Promise<CardRangeOf>;
  /** Puts the number into an authentication request and sends it. */
  authenticate(paymentMethodId: string, request: AReqWithoutCard): Promise<AuthenticationAnswer>;
  /** Asks the bank for the money, and erases the CVC once it has answered. */
  authorize(paymentMethodId: string, request: Omit<AuthorizationRequest, "card">): Promise<BankOutcome>;
  /** Takes what an authorisation reserved. This and the next two need no card. */
  capture(request: CaptureRequest): Promise<BankOutcome>;
  cancel(request: CancelRequest): Promise<BankOutcome>;
  refund(request: RefundRequest): Promise<BankOutcome>;
  /** What became of a reference, or `absent` when the bank has never heard of it. An authorisation that it knows has erased the CVC. */
  lookup(kind: BankOperation, reference: string, paymentMethodId: string): Promise<BankOutcome | { outcome: "absent" }>;
  erase(paymentMethodIds: readonly string[]): Promise<void>;
  /**
   * Erases every code and card that has outlived its time, then destroys the codes' keys that a rotation left behind and no code needs any more.
   * What pages and backups of the database still hold of deleted codes can then be read by nobody.
   */
  sweep(): Promise<void>;
}

export interface VaultParts {
  db: VaultDatabase;
  bank: Bank;
  keyring: Keyring;
  now: () => Date;
  /** Hears what the operator should know of the bank and of the key file. Never card data. */
  warn: (message: string) => void;
  /** Writes down what must not be forgotten. Never card data. */
  audit: VaultAudit;
}

export function createVault(parts: VaultParts): Vault {
  const { db, bank, keyring, now, warn, audit } = parts;
  const knownRanges = keepCardRanges(bank, now, warn);

  return {
    checkKeys: () => checkKeys(db, keyring, now(), audit),

    encryption: (sessionId) => newCardEncryption(keyring.keys(now()), sessionId, now()),

    async storeCard({ message, sessionId, ...entry }) {
      const reading = await readCardMessage(keyring.keys(now()), message, sessionId, now());
      if (!reading.ok) return reading;
      const { cvc, ...card } = reading.card;
      if (entry.mode === "test" && !isTestCardNumber(card.number)) return { ok: false, refusal: "not_a_test_card" };
      const { network, nonce, nonceExpiresAt } = reading;
      const isStored = await store({ ...entry, card, cvc, nonce, nonceExpiresAt });
      if (!isStored) return { ok: false, refusal: "card_message_stale" };
      const fingerprint = fingerprintOf(keyring.keys(now()), entry.mode, card.number);
      return { ok: true, summary: { ...summarize(card), network }, fingerprint };
    },

    async keep(paymentMethodId) {
      return testCard(paymentMethodId, now()) !== null || (await keepCard(db, paymentMethodId, now()));
    },

    async cardRange(paymentMethodId) {
      const { card } = await cardOf(paymentMethodId);
      const ranges = await knownRanges();
      if (ranges === null) return "unknown";
      return ranges.find((range) => isInRange(card.number, range))?.versions.at(-1) ?? null;
    },

    async authenticate(paymentMethodId, request) {
      const { card } = await cardOf(paymentMethodId);
      try {
        return await bank.authenticate({ ...request, acctNumber: card.number, cardExpiryDate: yymm(card) });
      } catch (error) {
        if (!isBankSilence(error)) throw error;
        if (error instanceof BankUnreachableError) return "silent";
        warn(error.message);
        return "unreadable";
      }
    },

    async authorize(paymentMethodId, request) {
      const { card, cvc } = await cardOf(paymentMethodId);
      const { number, exp_month, exp_year } = card;
      const outcome = await outcomeOf(() =>
        bank.authorize({ ...request, card: { number, exp_month, exp_year, ...(cvc === null ? {} : { cvc }) } }),
      );
      if (outcome.outcome !== "unknown") await eraseCvc(db, paymentMethodId);
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

    erase: (paymentMethodIds) => eraseCards(db, paymentMethodIds),

    async sweep() {
      await eraseExpired(db, now());
      try {
        await retireEmptyKeys(db, "cvc", now(), audit);
        await dropRetiredKeys(db, keyring);
      } catch (error) {
        if (!(error instanceof KeyFileError)) throw error;
        warn(error.message); // the next sweep tries again
      }
    },
  };

  /** False when the message was used before. A key that was closed since the file was read has a successor in the file. */
  async function store(entry: CardToStore): Promise<boolean> {
    for (let round = 1; round <= 3; round++) {
      const stored = await storeCard(db, keyring.keys(now()), entry, now());
      if (stored !== "key_closed") return stored === "stored";
      await checkKeys(db, keyring, now(), audit); // reads the file again
    }
    throw new KeyFileError(
      `The current keys in the key file ${keyring.name} were followed by others, which it does not have. Give this process the newest key file.`,
    );
  }

  async function cardOf(paymentMethodId: string): Promise<{ card: Card; cvc: string | null }> {
    const test = testCard(paymentMethodId, now());
    if (test !== null) return { card: test, cvc: null };
    const opened = await openCard(db, keyring, paymentMethodId, now(), audit);
    if (opened === null) throw new CardGoneError(paymentMethodId);
    return opened;
  }
}

/** What the bank says, or that it did not say anything that can be used. */
async function outcomeOf(ask: () => Promise<BankAnswer>): Promise<BankOutcome>;
async function outcomeOf(ask: () => Promise<BankAnswer | null>): Promise<BankOutcome | { outcome: "absent" }>;
async function outcomeOf(ask: () => Promise<BankAnswer | null>): Promise<BankOutcome | { outcome: "absent" }> {
  try {
    const answer = await ask();
    if (answer === null) return { outcome: "absent" };
    return answer.status === "approved" ? { outcome: "approved" } : { outcome: "declined", declineCode: answer.declineCode };
  } catch (error) {
    if (isBankSilence(error)) return { outcome: "unknown" };
    throw error;
  }
}

/** The vault does not hold this payment method's card (any more). */
export class CardGoneError extends Error {
  override readonly name = "CardGoneError";
  constructor(paymentMethodId: string) {
    super(`The card of payment method ${paymentMethodId} is not kept any more.`);
  }
}

function summarize(card: Card): Omit<CardSummary, "network"> {
  return { brand: cardBrand(card.number), last4: card.number.slice(-4), expMonth: card.exp_month, expYear: card.exp_year };
}

function isInRange(number: string, { start, end }: CardRange): boolean {
  return number.length === start.length && number >= start && number <= end;
}

function yymm(card: Card): string {
  return `${String(card.exp_year).slice(-2)}${String(card.exp_month).padStart(2, "0")}`;
}
