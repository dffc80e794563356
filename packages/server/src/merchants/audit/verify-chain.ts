/**
 * Verifies the audit log: follows the hash chain of `schema/audit.ts` from the first row to the head and reports the
 * first row that doesn't fit. It computes every hash itself, without database functions, and trusts nothing it reads.
 * If someone has removed the constraints, sequence numbers and hashes may be arbitrary or missing.
 *
 * If rows at the end are removed together with the head, the rest is still a valid chain. To detect that, store a head
 * elsewhere and pass it as `noted`: the chain must still contain it. Rows after that head could have been rewritten.
 */
import { createHash } from "node:crypto";
import { sql } from "kysely";
import type { Db, Tx } from "../../platform/storage/database.ts";

/** The end of a chain: the sequence number and hash of its last row. An empty chain has 0 and a hash of zeros. */
export interface ChainHead {
  sequence: number;
  /** In hex. */
  hash: string;
}

export interface ChainFault {
  /**
   * - `changed`: the row's content doesn't match its hash.
   * - `removed`: one or more rows before it are missing.
   * - `inserted`: its sequence number is taken, comes after the head, or is missing.
   * - `head_differs`: the head doesn't match the last row, or that row's hash differs from `noted`.
   */
  how: "changed" | "removed" | "inserted" | "head_differs";
  /** Null if the fault isn't about an existing row. */
  rowId: string | null;
  /** A sentence that describes the fault. */
  what: string;
}

export type ChainVerdict = { isIntact: true; head: ChainHead } | { isIntact: false; fault: ChainFault };

/** Number of rows in memory at a time. */
const batch = 1000;
const beginning: ChainHead = { sequence: 0, hash: "00".repeat(32) };

/** Verifies a snapshot of the log, so rows can be added in the meantime. Read-only. */
export async function verifyChain(db: Db, noted: ChainHead | null = null): Promise<ChainVerdict> {
  const reading = db.transaction().setIsolationLevel("repeatable read").setAccessMode("read only");
  return await reading.execute(async (tx) => {
    let last = beginning;
    let fault = faultOfNoted(last, noted);
    while (fault === null) {
      const rows = await readRows(tx, last);
      if (rows.length === 0) break;
      for (const row of rows) {
        fault = faultOf(row, last);
        if (fault !== null) break;
        last = { sequence: last.sequence + 1, hash: String(row.hash) };
        fault = faultOfNoted(last, noted);
        if (fault !== null) break;
      }
    }
    fault ??= await faultOfEnd(tx, last, noted);
    return fault === null ? { isIntact: true, head: last } : { isIntact: false, fault };
  });
}

/** Formats a head as text that people can store, such as `12:9f86...`. */
export function writeHead({ sequence, hash }: ChainHead): string {
  return `${sequence}:${hash}`;
}

/** Returns null if the text isn't a head. */
export function readHead(text: string): ChainHead | null {
  const [, sequence, hash] = /^(0|[1-9][0-9]{0,14}):([0-9a-f]{64})$/.exec(text) ?? [];
  return sequence === undefined || hash === undefined ? null : { sequence: Number(sequence), hash };
}

/** All columns are read as text, because tampered rows may contain values that JavaScript can't represent. */
interface ChainedRow {
  sequence: string;
  previous_hash: string | null;
  hash: string | null;
  id: string;
  account_id: string | null;
  actor: string | null;
  action: string | null;
  object_id: string | null;
  outcome: string | null;
  details: string | null;
  created_at: string | null;
}

/** The first batch has no lower bound, so that rows with a sequence number below 1 are found. */
async function readRows(tx: Tx, last: ChainHead): Promise<ChainedRow[]> {
  const { rows } = await sql<ChainedRow>`
    select log.sequence::text as sequence, encode(previous_hash, 'hex') as previous_hash, encode(hash, 'hex') as hash,
           id, account_id, actor, action, object_id, outcome, details::text as details,
           extract(epoch from created_at)::text as created_at
      from audit_log log
     where ${last === beginning ? sql`log.sequence is not null` : sql`log.sequence > ${last.sequence}::bigint`}
     order by log.sequence
     limit ${batch}`.execute(tx);
  return rows;
}

function faultOf(row: ChainedRow, last: ChainHead): ChainFault | null {
  const rowId = row.id;
  const expected = last.sequence + 1;
  if (row.sequence !== String(expected)) {
    if (BigInt(row.sequence) < expected)
      return {
        how: "inserted",
        rowId,
        what: `Row ${row.sequence} (${rowId}) was inserted: its sequence number is a duplicate or was never assigned.`,
      };
    const before = BigInt(row.sequence) - 1n;
    const missing = before === BigInt(expected) ? `Row ${expected} was` : `Rows ${expected} to ${before} were`;
    return {
      how: "removed",
      rowId,
      what: `${missing} removed: row ${last.sequence} is followed by row ${row.sequence} (${rowId}).`,
    };
  }
  if (hashOf(row) !== row.hash)
    return {
      how: "changed",
      rowId,
      what: `Row ${row.sequence} (${rowId}) was changed: its content doesn't match its hash.`,
    };
  if (row.previous_hash !== last.hash)
    return {
      how: last.sequence === 0 ? "removed" : "changed",
      rowId,
      what: `Row ${row.sequence} (${rowId}) doesn't contain the hash of the previous row, which was changed or replaced.`,
    };
  return null;
}

async function faultOfEnd(tx: Tx, last: ChainHead, noted: ChainHead | null): Promise<ChainFault | null> {
  const { rows: heads } = await sql<{ sequence: string; hash: string }>`
    select sequence::text as sequence, encode(hash, 'hex') as hash from audit_head`.execute(tx);
  const [head] = heads;
  if (head === undefined || heads.length > 1)
    return {
      how: "head_differs",
      rowId: null,
      what: "The audit_head table was changed by hand: it doesn't contain exactly one row.",
    };
  if (BigInt(head.sequence) > last.sequence) {
    const what = `Rows were removed from the end of the log: the last row is ${last.sequence}, but the head is ${head.sequence}.`;
    return { how: "removed", rowId: null, what };
  }
  if (BigInt(head.sequence) < last.sequence)
    return {
      how: "inserted",
      rowId: null,
      what: `Rows were inserted after the head: the head is ${head.sequence}, but the last row is ${last.sequence}.`,
    };
  if (head.hash !== last.hash)
    return {
      how: "head_differs",
      rowId: null,
      what: `The head's hash doesn't match the hash of the last row, ${last.sequence}. One of them was changed.`,
    };
  if (noted !== null && noted.sequence > last.sequence) {
    const what = `Rows were removed from the end of the log: the expected head is row ${noted.sequence}, but the last row is ${last.sequence}.`;
    return { how: "removed", rowId: null, what };
  }
  const { rows: counts } = await sql<{ count: number }>`select count(*) as count from audit_log`.execute(tx);
  const unnumbered = (counts[0]?.count ?? 0) - last.sequence;
  return unnumbered === 0
    ? null
    : {
        how: "inserted",
        rowId: null,
        what: `${unnumbered} rows were inserted without a sequence number of their own.`,
      };
}

function faultOfNoted(last: ChainHead, noted: ChainHead | null): ChainFault | null {
  if (noted === null || noted.sequence !== last.sequence || noted.hash === last.hash) return null;
  return {
    how: "head_differs",
    rowId: null,
    what: `Row ${noted.sequence} doesn't have the expected hash. This row or an earlier one was rewritten.`,
  };
}

/** Computes the same hash as the trigger of `schema/audit.ts`. */
function hashOf(row: ChainedRow): string {
  const { sequence, previous_hash, id, account_id, actor, action, object_id, outcome, details, created_at } = row;
  const columns = [sequence, previous_hash, id, account_id, actor, action, object_id, outcome, details, created_at];
  const text = columns.map((column) => (column === null ? "-," : `${Buffer.byteLength(column)}:${column},`)).join("");
  return createHash("sha256").update(text).digest("hex");
}
