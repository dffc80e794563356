/**
 * Stores cards and CVCs encrypted. They're sealed and unsealed here, so the rows contain nothing that can be read
 * without the key file.
 */
import { checkValue } from "../keys/key-register.ts";
import { currentKey, type Keys, type SealingKey } from "../keys/keyring.ts";
import type { Mode } from "../mode.ts";
import { seal, unseal, type Sealed, type SealedFor } from "../sealing/seal.ts";
import type { VaultDatabase } from "../vault-database.ts";

/** A card as the acquirer needs it. Never log it, add it to an error or pass it out of this package. */
export interface Card {
  number: string;
  exp_month: number;
  exp_year: number;
}

export interface CardToStore {
  paymentMethodId: string;
  accountNo: number;
  mode: Mode;
  card: Card;
  /** Empty if the card has none. It's stored then too, because a card without a stored CVC has been used. */
  cvc: string;
  nonce: string;
  nonceExpiresAt: Date;
  /** The card is erased at this time. Null: it's stored until it's erased. */
  eraseAt: Date | null;
}

const cvcLifetimeMs = 15 * 60 * 1000;

/**
 * Stores a card and its CVC in one statement, or nothing. `nonce_used`: the message was already used. `key_closed`: a
 * current key of `keys` is closed, not registered, or doesn't match the registered one.
 */
export async function storeCard(
  db: VaultDatabase,
  keys: Keys,
  entry: CardToStore,
  now: Date,
): Promise<"stored" | "nonce_used" | "key_closed"> {
  const boundTo = { mode: entry.mode, accountNo: entry.accountNo, recordId: entry.paymentMethodId };
  const [cardKey, cvcKey] = [currentKey(keys, "card"), currentKey(keys, "cvc")];
  const card = seal(cardKey, { ...boundTo, purpose: "card" }, JSON.stringify(entry.card));
  const cvc = seal(cvcKey, { ...boundTo, purpose: "cvc" }, entry.cvc);
  const { rows } = await db.query(
    `with card_key as (
       select id from vault.key where id = $10 and check_value = $11 and closed_at is null for share
     ), cvc_key as (
       select id from vault.key where id = $14 and check_value = $15 and closed_at is null for share
     ), nonce as (
       insert into vault.used_nonce (nonce, expires_at) select $1, $2 from card_key, cvc_key on conflict do nothing returning 1
     ), card as (
       insert into vault.card (payment_method_id, account_no, mode, erase_at, created_at, sealed, wrapped_key, key_id)
       select $3, $4, $5, $6, $7, $8, $9, $10 from nonce returning payment_method_id
     ), cvc as (
       insert into vault.cvc (payment_method_id, sealed, wrapped_key, key_id, erase_at)
       select payment_method_id, $12, $13, $14, $16 from card returning 1
     )
     select (select count(*) from card_key, cvc_key)::integer as keys, (select count(*) from cvc)::integer as stored`,
    [
      entry.nonce,
      entry.nonceExpiresAt,
      entry.paymentMethodId,
      entry.accountNo,
      entry.mode,
      entry.eraseAt,
      now,
      card.content,
      card.wrappedKey,
      cardKey.id,
      checkValue(cardKey.id, cardKey.secret),
      cvc.content,
      cvc.wrappedKey,
      cvcKey.id,
      checkValue(cvcKey.id, cvcKey.secret),
      new Date(now.getTime() + cvcLifetimeMs),
    ],
  );
  if (rows[0]?.["stored"] === 1) return "stored";
  return rows[0]?.["keys"] === 1 ? "nonce_used" : "key_closed";
}

/** Identifies a card and the account that uses it. */
export interface CardOf {
  paymentMethodId: string;
  /**
   * The account of the request, decision or attempt that needs the card. Never use the account in the payment method's
   * row, because anyone who can write to the database can change it.
   */
  accountNo: number;
}

/** A stored card, with its CVC if that hasn't expired. */
export interface StoredCard {
  /** Read from the row, and not authenticated until the seal is checked. */
  mode: Mode;
  accountNo: number;
  card: Sealed;
  cvc: Sealed | null;
}

/** Returns null if there's no such card. */
export async function readCard(db: VaultDatabase, paymentMethodId: string, now: Date): Promise<StoredCard | null> {
  const { rows } = await db.query(
    `select card.account_no, card.mode, card.key_id, card.wrapped_key, card.sealed,
            cvc.key_id as cvc_key_id, cvc.wrapped_key as cvc_wrapped_key, cvc.sealed as cvc_sealed
       from vault.card left join vault.cvc
         on cvc.payment_method_id = card.payment_method_id and cvc.erase_at > $2
      where card.payment_method_id = $1 and (card.erase_at is null or card.erase_at > $2)`,
    [paymentMethodId, now],
  );
  const row = rows[0] as CardRow | undefined; // the columns of the query above
  if (row === undefined) return null;
  return {
    mode: row.mode,
    accountNo: Number(row.account_no), // node-postgres reads a bigint as text by default
    card: { keyId: row.key_id, wrappedKey: row.wrapped_key, content: row.sealed },
    cvc:
      row.cvc_key_id === null
        ? null
        : { keyId: row.cvc_key_id, wrappedKey: row.cvc_wrapped_key, content: row.cvc_sealed },
  };
}

/** @throws SealBrokenError */
export function unsealCard(key: SealingKey, record: SealedFor, sealed: Sealed): Card {
  return JSON.parse(unseal(key, record, sealed)) as Card; // written by storeCard, authenticated by the seal
}

type CardRow = {
  account_no: number | string;
  mode: Mode;
  key_id: string;
  wrapped_key: Uint8Array;
  sealed: Uint8Array;
} & ({ cvc_key_id: null } | { cvc_key_id: string; cvc_wrapped_key: Uint8Array; cvc_sealed: Uint8Array });

/** Stores a card until it's erased. Returns false if it no longer exists or belongs to another account. */
export async function retainCard(
  db: VaultDatabase,
  { paymentMethodId, accountNo }: CardOf,
  now: Date,
): Promise<boolean> {
  const { rows } = await db.query(
    `update vault.card set erase_at = null
      where payment_method_id = $1 and account_no = $2 and (erase_at is null or erase_at > $3) returning 1`,
    [paymentMethodId, accountNo, now],
  );
  return rows.length === 1;
}

export async function eraseCvc(db: VaultDatabase, paymentMethodId: string): Promise<void> {
  await db.query("delete from vault.cvc where payment_method_id = $1", [paymentMethodId]);
}

export async function eraseCards(db: VaultDatabase, paymentMethodIds: readonly string[]): Promise<void> {
  await db.query("delete from vault.card where payment_method_id = any($1)", [paymentMethodIds]);
}

/** Erases expired data. Runs at startup and every fifteen seconds. */
export async function eraseExpired(db: VaultDatabase, now: Date): Promise<void> {
  await db.query("delete from vault.cvc where erase_at <= $1", [now]);
  await db.query("delete from vault.card where erase_at <= $1", [now]);
  await db.query("delete from vault.used_nonce where expires_at <= $1", [now]);
}

/** Writes a nonce that no message can have. It's erased when it has expired. */
export async function checkWrites(db: VaultDatabase, now: Date): Promise<void> {
  await db.query(
    `insert into vault.used_nonce (nonce, expires_at) values ('write check', $1)
       on conflict (nonce) do update set expires_at = excluded.expires_at`,
    [now],
  );
}
