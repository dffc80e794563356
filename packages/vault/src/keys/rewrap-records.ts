/**
 * Wraps the data keys of all cards and credentials under the current key. Contents are neither read nor written. It can
 * run while records change: each update applies only if the row still has the bytes that were read, and skips records
 * that no longer exist.
 */
import type { Mode } from "../mode.ts";
import { rewrap, type SealedFor } from "../sealing/seal.ts";
import type { VaultAudit } from "../vault-audit.ts";
import type { VaultDatabase } from "../vault-database.ts";
import { currentKey, type Keyring, type SealingKey } from "./keyring.ts";

export interface RewrapProgress {
  rewrapped: number;
  /** How many records needed rewrapping at the start. */
  total: number;
}

const batchSize = 500;
const maxBrokenReported = 100;

/** A table of records under card keys, named after their purpose, and the SQL for what a record of it is bound to. */
type RewrappedTable = (typeof tables)[number];
const tables = [
  { name: "card", id: "payment_method_id" },
  { name: "credentials", id: "acquirer_account_id || ' ' || version" },
] as const;

export async function rewrapRecords(
  db: VaultDatabase,
  keyring: Keyring,
  now: Date,
  onProgress: (progress: RewrapProgress) => void,
  audit: VaultAudit,
): Promise<{ rewrapped: number; brokenRecordIds: string[] }> {
  const keys = keyring.keys(now);
  const to = currentKey(keys, "card");
  const older = new Map(keys.card.map((key) => [key.id, key]));
  let total = 0;
  for (const table of tables) total += await countOlder(db, table, to.id);
  const brokenRecordIds: string[] = [];
  let rewrapped = 0;
  for (const table of tables) {
    let after = "";
    for (;;) {
      const batch = await readBatch(db, table, to.id, after);
      const last = batch.at(-1);
      if (last === undefined) break;
      after = last.id;
      const done: RewrappedRow[] = [];
      for (const row of batch) {
        const record = recordOf(table, row);
        const wrapped = await rewrapOne(record, row, older.get(row.key_id), to, audit);
        if (wrapped !== null) done.push({ id: row.id, before: Buffer.from(row.wrapped_key), wrapped });
        else if (brokenRecordIds.length < maxBrokenReported) brokenRecordIds.push(record.recordId);
      }
      rewrapped += await writeBatch(db, table, to.id, done);
      onProgress({ rewrapped, total });
    }
  }
  return { rewrapped, brokenRecordIds };
}

interface Row {
  id: string;
  account_no: number | string;
  mode: Mode;
  key_id: string;
  wrapped_key: Uint8Array;
}

interface RewrappedRow {
  id: string;
  before: Buffer;
  wrapped: Buffer;
}

async function countOlder(db: VaultDatabase, { name }: RewrappedTable, keyId: string): Promise<number> {
  const { rows } = await db.query(`select count(*)::integer as count from vault.${name} where key_id <> $1`, [keyId]);
  return Number(rows[0]?.["count"]);
}

/** Reads in the order of IDs, so that records that can't be rewrapped are skipped. */
async function readBatch(db: VaultDatabase, { name, id }: RewrappedTable, keyId: string, after: string) {
  const { rows } = await db.query(
    `select ${id} as id, account_no, mode, key_id, wrapped_key from vault.${name}
      where key_id <> $1 and ${id} > $2 order by ${id} limit ${batchSize}`,
    [keyId, after],
  );
  return rows as unknown as Row[]; // the columns of the query above
}

function recordOf({ name }: RewrappedTable, row: Row): SealedFor {
  return { mode: row.mode, accountNo: Number(row.account_no), recordId: row.id, purpose: name };
}

async function rewrapOne(
  record: SealedFor,
  row: Row,
  from: SealingKey | undefined,
  to: SealingKey,
  audit: VaultAudit,
): Promise<Buffer | null> {
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
async function writeBatch(
  db: VaultDatabase,
  { name, id }: RewrappedTable,
  keyId: string,
  rewrapped: readonly RewrappedRow[],
): Promise<number> {
  const { rows } = await db.query(
    `with open_key as (select id from vault.key where id = $1 and closed_at is null for share)
     update vault.${name} as record set key_id = open_key.id, wrapped_key = done.wrapped
       from open_key, unnest($2::text[], $3::bytea[], $4::bytea[]) as done (id, before, wrapped)
      where ${id} = done.id and record.wrapped_key = done.before returning 1`,
    [
      keyId,
      rewrapped.map((row) => row.id),
      rewrapped.map(({ before }) => before),
      rewrapped.map(({ wrapped }) => wrapped),
    ],
  );
  return rows.length;
}
