/**
 * The vault, which is the only code on the server that may see a card number.
 *
 * It accepts cards as encrypted messages, returns a payment method's brand and last four digits, and talks to the
 * acquirers. Apart from {@link CardSummary}, no number, CVC or expiry leaves it, neither in results nor in errors or
 * logs. It also stores the credentials of acquirer accounts, which it never returns.
 *
 * It trusts its own key file and the acquirer's responses. It refuses messages that aren't encrypted for its key,
 * belong to another session, are stale or were used before. It refuses and audits tampered records, and refuses a key
 * file that doesn't belong to the database.
 */
import { cardBrand, type CardBrand } from "@oriel/protocol/card";
import type { CardNetwork } from "@oriel/protocol/card-networks";
import type { CardEncryption } from "@oriel/protocol/frame";
import { cacheAcquirerAccounts, type AcquirerAccountsParts } from "./acquirer-accounts/acquirer-accounts.ts";
import { createAcquirerCredentials, type AcquirerCredentials } from "./acquirer-accounts/acquirer-credentials.ts";
import { createCardAcquirer, type CardAcquirer } from "./cards/card-acquirer.ts";
import { newCardEncryption, readCardMessage } from "./cards/card-message.ts";
import {
  checkWrites,
  eraseCards,
  eraseCvc,
  eraseExpired,
  retainCard,
  storeCard,
  type Card,
  type CardOf,
} from "./cards/card-store.ts";
import { fingerprintOf } from "./cards/fingerprint.ts";
import { isTestCardNumber } from "./cards/test-card-numbers.ts";
import { testCard } from "./cards/test-payment-methods.ts";
import type { Connector } from "./connectors/connector.ts";
import type { ReadNotification } from "./connectors/notification.ts";
import type { AcquirerAccount } from "./connectors/registry.ts";
import { KeyFileError } from "./keys/key-file.ts";
import { checkKeys, retireEmptyKeys } from "./keys/key-register.ts";
import { withOpenKeys } from "./keys/open-keys.ts";
import { dropRetiredKeys } from "./keys/rotate-keys.ts";
import type { Mode } from "./mode.ts";

/** What code outside the vault may know about a card. */
export interface CardSummary {
  brand: CardBrand;
  last4: string;
  expMonth: number;
  expYear: number;
  /**
   * The network that the customer chose for a co-branded card. Null if none was chosen. It isn't stored here. Pass it
   * to `authorize`.
   */
  network: CardNetwork | null;
}

export type StoreCardResult =
  /**
   * `fingerprint` is 32 bytes and the same for the same number in the same mode. It's for the operator only, and must
   * not be shown to merchants or browsers.
   */
  | { ok: true; summary: CardSummary; fingerprint: Buffer }
  | { ok: false; refusal: "card_message_stale" | "card_message_invalid" | "not_a_test_card" };

export interface Vault extends AcquirerCredentials {
  /**
   * Checks that the key file belongs to the database, and registers its keys there. Call it once, before anything else.
   *
   * @throws KeyFileError if it doesn't; nothing is written then
   */
  checkKeys(): Promise<void>;
  /** Returns the key and a new nonce for one card message of one session. */
  encryption(sessionId: string): CardEncryption;
  /** Stores a card under a payment method's ID, for the acquirer's mode. */
  storeCard(entry: {
    message: string;
    sessionId: string;
    paymentMethodId: string;
    accountNo: number;
    /** The acquirer of the account's new payments. Test mode accepts its test cards too. */
    acquirer: Pick<CardAcquirer, "mode" | "capabilities">;
    /** Null: until it's erased. */
    eraseAt: Date | null;
  }): Promise<StoreCardResult>;
  /** Stores a card until it's erased. Returns false if it no longer exists or belongs to another account. */
  retain(card: CardOf): Promise<boolean>;
  /** Erases cards with their CVCs. */
  erase(paymentMethodIds: readonly string[]): Promise<void>;
  /** Erases a card's CVC. Call it once the outcome of an authorization is committed. */
  eraseCvc(paymentMethodId: string): Promise<void>;
  /**
   * Erases expired CVCs and cards, then destroys CVC keys that a rotation replaced and no CVC needs. Deleted CVCs that
   * remain in pages and backups of the database can then no longer be read.
   */
  sweep(): Promise<void>;
  /** Commits a row, to check that the vault's database accepts writes. */
  checkWrites(): Promise<void>;
  /** Test mode's default acquirer, for test cards. */
  readonly test: CardAcquirer<"test">;
  /** Live mode's default acquirer, or null if there's none. */
  readonly live: CardAcquirer<"live"> | null;
  /**
   * Returns the acquirer of an acquirer account, or for null the mode's default acquirer. Null if there's none or if
   * the acquirer account can't be used, for example because its credentials can't be decrypted.
   *
   * Connections are kept as long as the same acquirer account has the same settings and version of the credentials.
   */
  acquirer(mode: Mode, account: AcquirerAccount | null): Promise<CardAcquirer | null>;
  /**
   * Reads a request that claims to be a notification to an acquirer account, and checks its signatures. `unusable`: the
   * acquirer account can't be used now, so the vendor should send the notification again.
   */
  readNotification(
    account: AcquirerAccount,
    body: unknown,
  ): Promise<ReadNotification[] | "not_a_notification" | "unusable">;
}

export interface VaultParts extends AcquirerAccountsParts {
  /** The default acquirers. */
  connectors: { test: Connector<"test">; live: Connector<"live"> | null };
}

export function createVault(parts: VaultParts): Vault {
  const { db, connectors, keyring, now, warn, audit } = parts;
  const test = createCardAcquirer(connectors.test, parts);
  const live = connectors.live && createCardAcquirer(connectors.live, parts);
  const openAcquirerAccount = cacheAcquirerAccounts(parts);

  return {
    checkKeys: () => checkKeys(db, keyring, now(), audit),

    encryption: (sessionId) => newCardEncryption(keyring.keys(now()), sessionId, now()),

    async storeCard({ message, sessionId, acquirer: { mode, capabilities }, ...entry }) {
      const reading = await readCardMessage(keyring.keys(now()), message, sessionId, now());
      if (!reading.ok) return reading;
      const { cvc, ...card } = reading.card;
      if (mode === "test" && !isTestCardNumber(card.number, capabilities))
        return { ok: false, refusal: "not_a_test_card" };
      const { network, nonce, nonceExpiresAt } = reading;
      const toStore = { ...entry, mode, card, cvc, nonce, nonceExpiresAt };
      const stored = await withOpenKeys(parts, (keys) => storeCard(db, keys, toStore, now()));
      if (stored === "nonce_used") return { ok: false, refusal: "card_message_stale" };
      const fingerprint = fingerprintOf(keyring.keys(now()), mode, card.number);
      return { ok: true, summary: { ...summarize(card), network }, fingerprint };
    },

    async retain(card) {
      return testCard(card.paymentMethodId, now()) !== null || (await retainCard(db, card, now()));
    },

    erase: (paymentMethodIds) => eraseCards(db, paymentMethodIds),
    eraseCvc: (paymentMethodId) => eraseCvc(db, paymentMethodId),

    ...createAcquirerCredentials(parts),

    async sweep() {
      await eraseExpired(db, now());
      try {
        await retireEmptyKeys(db, "cvc", now(), audit);
        await dropRetiredKeys(db, keyring);
      } catch (error) {
        if (!(error instanceof KeyFileError)) throw error;
        warn(error.message); // the next sweep retries
      }
    },

    checkWrites: () => checkWrites(db, now()),

    test,
    live,

    async acquirer(mode, account) {
      if (account === null) return mode === "test" ? test : live;
      if (account.mode !== mode) throw new Error(`Bug: the acquirer account ${account.id} isn't for ${mode} mode`);
      return (await openAcquirerAccount(account))?.acquirer ?? null;
    },

    async readNotification(account, body) {
      const usable = await openAcquirerAccount(account);
      if (usable === null) return "unusable";
      return usable.readNotification(body) ?? "not_a_notification";
    },
  };
}

function summarize(card: Card): Omit<CardSummary, "network"> {
  return {
    brand: cardBrand(card.number),
    last4: card.number.slice(-4),
    expMonth: card.exp_month,
    expYear: card.exp_year,
  };
}
