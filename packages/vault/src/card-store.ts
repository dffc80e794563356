/**
 * Where cards and CVCs rest, sealed. What is handed in is sealed here and what is handed out is unsealed here; the rows hold
 * nothing that can be read without the key file.
 */
import type { Keyring } from "./keyring.ts";
import { seal, unseal, type SealedFor } from "./seal.ts";

/** As much of a database as the vault needs: `pg.Pool` is one. */
export interface VaultDatabase {
  query(sql: string, values?: unknown[]): Promise<{ rows: Record<string, unknown>[] }>;
}

/** A card as the bank needs it. Never logged, never put into an error, never handed out of this package. */
export interface Card {
  number: string;
  exp_month: number;
  exp_year: number;
}

export interface CardToStore {
  paymentMethodId: string;
  accountId: string;
  mode: "test" | "live";
  card: Card;
  cvc: string;
  nonce: string;
  nonceExpiresAt: Date;
  /** The card is erased then even if nobody asks for it. */
  keepUntil: Date;
}

const cvcLifetimeMs = 15 * 60 * 1000;

/** Stores a card and its code in one statement; false if the nonce was used before, and then nothing is stored. */
export async function storeCard(db: VaultDatabase, keyring: Keyring, entry: CardToStore, now: Date): Promise<boolean> {
  const boundTo = { mode: entry.mode, accountId: entry.accountId, recordId: entry.paymentMethodId };
  const { rows } = await db.query(
    `with nonce as (
       insert into vault.used_nonce (nonce, expires_at) values ($1, $2) on conflict do nothing returning 1
     ), card as (
       insert into vault.card (payment_method_id, account_id, mode, key_id, sealed, keep_until, created_at)
       select $3, $4, $5, $6, $7, $8, $9 from nonce returning payment_method_id
     )
     insert into vault.cvc (payment_method_id, key_id, sealed, erase_at)
     select payment_method_id, $10, $11, $12 from card returning 1`,
    [
      entry.nonce,
      entry.nonceExpiresAt,
      entry.paymentMethodId,
      entry.accountId,
      entry.mode,
      keyring.card.id,
      seal(keyring.card, { ...boundTo, purpose: "card" }, JSON.stringify(entry.card)),
      entry.keepUntil,
      now,
      keyring.cvc.id,
      seal(keyring.cvc, { ...boundTo, purpose: "cvc" }, entry.cvc),
      new Date(now.getTime() + cvcLifetimeMs),
    ],
  );
  return rows.length === 1;
}

/** The card of a payment method, with its code while that may still be kept; null if there is none (any more). */
export async function loadCard(
  db: VaultDatabase,
  keyring: Keyring,
  paymentMethodId: string,
  now: Date,
): Promise<{ card: Card; cvc: string | null } | null> {
  const { rows } = await db.query(
    `select card.account_id, card.mode, card.sealed, cvc.sealed as sealed_cvc
       from vault.card left join vault.cvc
         on cvc.payment_method_id = card.payment_method_id and cvc.erase_at > $2
      where card.payment_method_id = $1 and card.keep_until > $2`,
    [paymentMethodId, now],
  );
  const row = rows[0] as CardRow | undefined; // the columns of the query above
  if (row === undefined) return null;
  const boundTo: Omit<SealedFor, "purpose"> = {
    mode: row.mode,
    accountId: row.account_id,
    recordId: paymentMethodId,
  };
  return {
    card: JSON.parse(unseal(keyring.card, { ...boundTo, purpose: "card" }, row.sealed)) as Card, // written by storeCard, authenticated by the seal
    cvc: row.sealed_cvc === null ? null : unseal(keyring.cvc, { ...boundTo, purpose: "cvc" }, row.sealed_cvc),
  };
}

interface CardRow {
  account_id: string;
  mode: "test" | "live";
  sealed: Uint8Array;
  sealed_cvc: Uint8Array | null;
}

export async function eraseCvc(db: VaultDatabase, paymentMethodId: string): Promise<void> {
  await db.query("delete from vault.cvc where payment_method_id = $1", [paymentMethodId]);
}

export async function eraseCards(db: VaultDatabase, paymentMethodIds: readonly string[]): Promise<void> {
  await db.query("delete from vault.card where payment_method_id = any($1)", [paymentMethodIds]);
}

/** Erases what has outlived its time. Runs at start and every minute. */
export async function eraseExpired(db: VaultDatabase, now: Date): Promise<void> {
  await db.query("delete from vault.cvc where erase_at <= $1", [now]);
  await db.query("delete from vault.card where keep_until <= $1", [now]);
  await db.query("delete from vault.used_nonce where expires_at <= $1", [now]);
}
