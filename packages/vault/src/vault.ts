/**
 * The interface of the vault, which is the only code on the server that may see a card number.
 *
 * It takes a card in as an encrypted message, gives a payment method's brand and last four digits back, and speaks to
 * the bank about it. No number, code or expiry beyond what {@link CardSummary} shows comes out of here: not in a
 * result, not in an error, not in a log.
 *
 * Trusts: its own key file, the bank's answers. Refuses: messages that are not under its key, not of this session,
 * stale or used before; records that are not what was stored, which are audited; and a key file that does not belong to
 * the database.
 */
import { cardBrand, type CardBrand } from "@oriel/protocol/card";
import type { CardNetwork } from "@oriel/protocol/card-networks";
import type { CardEncryption } from "@oriel/protocol/frame";
import type { Bank } from "./bank.ts";
import { createCardBank, type CardBank, type CardBankParts } from "./card-bank.ts";
import { newCardEncryption, readCardMessage } from "./card-message.ts";
import {
  eraseCards,
  eraseExpired,
  keepCard,
  storeCard,
  type Card,
  type CardOf,
  type CardToStore,
} from "./card-store.ts";
import { fingerprintOf } from "./fingerprint.ts";
import { KeyFileError } from "./key-file.ts";
import { checkKeys, retireEmptyKeys } from "./key-register.ts";
import type { Mode } from "./mode.ts";
import { dropRetiredKeys } from "./rotate-keys.ts";
import { isTestCardNumber } from "./test-card-numbers.ts";
import { testCard } from "./test-payment-methods.ts";

/** What may be known of a card outside the vault. */
export interface CardSummary {
  brand: CardBrand;
  last4: string;
  expMonth: number;
  expYear: number;
  /**
   * The network that the customer chose for it, of two; null where nothing was chosen. Not kept here: it is handed back
   * with `authorize`.
   */
  network: CardNetwork | null;
}

export type StoreCardResult =
  /**
   * `fingerprint` is the same for the same number in the same mode, 32 bytes. The operator's: no merchant and no
   * browser may see it.
   */
  | { ok: true; summary: CardSummary; fingerprint: Buffer }
  | { ok: false; refusal: "card_message_stale" | "card_message_invalid" | "not_a_test_card" };

export interface Vault {
  /**
   * Makes sure that the key file belongs to the database, and registers its keys there. To be called once, before
   * anything else.
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
    mode: Mode;
    /** Null: until it is erased. */
    keepUntil: Date | null;
  }): Promise<StoreCardResult>;
  /** Keeps a card until it is erased; false when it is gone already, or another account's. */
  keep(card: CardOf): Promise<boolean>;
  erase(paymentMethodIds: readonly string[]): Promise<void>;
  /**
   * Erases every code and card that has outlived its time, then destroys the codes' keys that a rotation left behind
   * and no code needs any more. What pages and backups of the database still hold of deleted codes can then be read by
   * nobody.
   */
  sweep(): Promise<void>;
  /** Test mode's bank, for test mode's cards. */
  readonly test: CardBank<"test">;
  /** Live mode's; null where there is none. */
  readonly live: CardBank<"live"> | null;
}

export interface VaultParts extends CardBankParts {
  banks: { test: Bank<"test">; live: Bank<"live"> | null };
}

export function createVault(parts: VaultParts): Vault {
  const { db, banks, keyring, now, warn, audit } = parts;

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

    async keep(card) {
      return testCard(card.paymentMethodId, now()) !== null || (await keepCard(db, card, now()));
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

    test: createCardBank(banks.test, parts),
    live: banks.live && createCardBank(banks.live, parts),
  };

  /**
   * False when the message was used before. A key that was closed since the file was read has a successor in the file.
   */
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
}

function summarize(card: Card): Omit<CardSummary, "network"> {
  return {
    brand: cardBrand(card.number),
    last4: card.number.slice(-4),
    expMonth: card.exp_month,
    expYear: card.exp_year,
  };
}
