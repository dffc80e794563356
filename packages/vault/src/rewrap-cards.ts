/**
 * Wraps the data keys of all cards under the current key. Contents are neither read nor written. It can run while cards
 * change: each update applies only if the row still has the bytes that were read, and skips records that no longer
 * exist.
 */
import type { VaultDatabase } from "./vault-database.ts";
import { currentKey, type Keyring, type SealingKey } from "./keyring.ts";
import { rewrap, type SealedFor } from "./seal.ts";
import type { VaultAudit } from "./vault-audit.ts";
import type { Mode } from "./mode.ts";

export interface RewrapProgress {
  rewrapped: number;
  /** How many records needed rewrapping at the start. */
  total: number;
}

const batchSize = 500;
const mostBrokenTold = 100;

export async function rewrapCards(
  db: VaultDatabase,
  keyring: Keyring,
  now: Date,
  onProgress: (progress: RewrapProgress) => void,
  audit: VaultAudit,
): Promise<{ rewrapped: number; brokenRecordIds: string[] }> {
  const keys = keyring.keys(now);
  const to = currentKey(keys, "card");
  const older = new Map(keys.card.map((key) => [key.id, key]));
  const { rows } = await db.query("select count(*)::integer as total from vault.card where key_id <> $1", [to.id]);
  const total = Number(rows[0]?.["total"]);
  const brokenRecordIds: string[] = [];
  let rewrapped = 0;
  let after = "";
  for (;;) {
    const batch = await readBatch(db, to.id, after);
    const last = batch.at(-1);
    if (last === undefined) return { rewrapped, brokenRecordIds };
    after = last.payment_method_id;
    const done: RewrappedCard[] = [];
    for (const row of batch) {
      const wrapped = await rewrapOne(row, older.get(row.key_id), to, audit);
      if (wrapped !== null) done.push({ id: row.payment_method_id, before: Buffer.from(row.wrapped_key), wrapped });
      else if (brokenRecordIds.length < mostBrokenTold) brokenRecordIds.push(row.payment_method_id);
    }
    rewrapped += await writeBatch(db, to.id, done);
    onProgress({ rewrapped, total });
  }
}

interface CardRow {
  payment_method_id: string;
  account_no: number | string;
  mode: Mode;
  key_id: string;
  wrapped_key: Uint8Array;
}

interface RewrappedCard {
  id: string;
  before: Buffer;
  wrapped: Buffer;
}

/** Reads in the order of IDs, so that records that can't be rewrapped are skipped. */
async function readBatch(db: VaultDatabase, keyId: string, after: string): Promise<CardRow[]> {
  const { rows } = await db.query(
    `select payment_method_id, account_no, mode, key_id, wrapped_key from vault.card
      where key_id <> $1 and payment_method_id > $2 order by payment_method_id limit ${batchSize}`,
    [keyId, after],
  );
  return rows as unknown as CardRow[]; // the columns of the query above
}

async function rewrapOne(
  row: CardRow,
  from: SealingKey | undefined,
  to: SealingKey,
  audit: VaultAudit,
): Promise<Buffer | null> {
  const record: SealedFor = {
    mode: row.mode,
    accountNo: Number(row.account_no),
    recordId: row.payment_method_id,
    purpose: "card",
  };
  if (from === undefined) {
    await audit({ what: "seal_broken", reason: "unknown_key", record, keyId: row.key_id });
    return null;
  }
  try {
    return rewrap(from, to, record, row.wrapped_key);
  } catch {
    await audit({ what: "seal_broken", reason: "does_not_open", record, keyId: row.key_id });
    return null;
  }
}

/** Returns how many were still unchanged. It's 0 if a later rotation has closed the key. */
async function writeBatch(db: VaultDatabase, keyId: string, cards: readonly RewrappedCard[]): Promise<number> {
  const { rows } = await db.query(
    `with open_key as (select id from vault.key where id = $1 and closed_at is null for share)
     update vault.card set key_id = open_key.id, wrapped_key = done.wrapped
       from open_key, unnest($2::text[], $3::bytea[], $4::bytea[]) as done (id, before, wrapped)
      where card.payment_method_id = done.id and card.wrapped_key = done.before returning 1`,
    [keyId, cards.map(({ id }) => id), cards.map(({ before }) => before), cards.map(({ wrapped }) => wrapped)],
  );
  return rows.length;
}
