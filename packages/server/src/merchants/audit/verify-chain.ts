/**
 * Whether the audit log is whole: goes through the chain that migration 0011 describes, from its first row to its head,
 * and says which row is the first that does not fit. Computes every hash itself and asks no function of the database
 * for one. Trusts nothing that it reads: numbers and hashes may be anything, or missing, where somebody has dropped
 * what kept them right.
 *
 * Rows that were cut off at the end together with the head leave nothing that does not fit. So whoever keeps a head
 * elsewhere may give it (`noted`), and the chain must still lead through it. What was written after the head that was
 * noted last can have been written anew.
 */
import { createHash } from "node:crypto";
import { sql } from "kysely";
import type { Db, Tx } from "../../platform/storage/database.ts";

/**
 * Where a chain ends, or ended: the number and the hash of its last row. An empty one ends in 0 and a hash of zeros.
 */
export interface ChainHead {
  sequence: number;
  /** In hex. */
  hash: string;
}

export interface ChainFault {
  /**
   * - `changed`: the row is not what was hashed.
   * - `removed`: one or more rows are missing before it.
   * - `inserted`: it has a number that is taken, that comes after the head, or none.
   * - `head_differs`: the head is not that of the last row, or that row was noted with another hash.
   */
  how: "changed" | "removed" | "inserted" | "head_differs";
  /** Null where it is about no row that is there. */
  rowId: string | null;
  /** In a sentence, for people. */
  what: string;
}

export type ChainVerdict = { isWhole: true; head: ChainHead } | { isWhole: false; fault: ChainFault };

/** How many rows are in memory at a time. */
const batch = 1000;
const beginning: ChainHead = { sequence: 0, hash: "00".repeat(32) };

/** Reads one state of the log, however much is added meanwhile. Changes nothing. */
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
    return fault === null ? { isWhole: true, head: last } : { isWhole: false, fault };
  });
}

/** `12:9f86...`, as it is printed and noted. */
export function writeHead({ sequence, hash }: ChainHead): string {
  return `${sequence}:${hash}`;
}

/** Null: this is no head. */
export function readHead(text: string): ChainHead | null {
  const [, sequence, hash] = /^(0|[1-9][0-9]{0,14}):([0-9a-f]{64})$/.exec(text) ?? [];
  return sequence === undefined || hash === undefined ? null : { sequence: Number(sequence), hash };
}

/** Every column as text, because somebody may have made it hold what JavaScript cannot. */
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

/** Of the first rows the lowest number is asked for, whatever it is: one below 1 is not to be passed over. */
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
        what: `Row ${row.sequence} (${rowId}) was inserted: its number is taken, or never was given out.`,
      };
    const before = BigInt(row.sequence) - 1n;
    const missing = before === BigInt(expected) ? `Row ${expected} was` : `Rows ${expected} to ${before} were`;
    return {
      how: "removed",
      rowId,
      what: `${missing} removed: after row ${last.sequence} comes row ${row.sequence} (${rowId}).`,
    };
  }
  if (hashOf(row) !== row.hash)
    return {
      how: "changed",
      rowId,
      what: `Row ${row.sequence} (${rowId}) was changed: its hash is not that of what stands in it.`,
    };
  if (row.previous_hash !== last.hash)
    return {
      how: last.sequence === 0 ? "removed" : "changed",
      rowId,
      what: `Row ${row.sequence} (${rowId}) follows another row than the one before it, which was changed or put in its place.`,
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
      what: "The table audit_head does not hold one row. It was changed by hand.",
    };
  if (BigInt(head.sequence) > last.sequence) {
    const what = `Rows were removed at the end: the last one is ${last.sequence}, and the head says ${head.sequence}.`;
    return { how: "removed", rowId: null, what };
  }
  if (BigInt(head.sequence) < last.sequence)
    return {
      how: "inserted",
      rowId: null,
      what: `Rows were inserted after the head: it says ${head.sequence}, and the last one is ${last.sequence}.`,
    };
  if (head.hash !== last.hash)
    return {
      how: "head_differs",
      rowId: null,
      what: `The head has another hash than the last row, ${last.sequence}. One of them was changed.`,
    };
  if (noted !== null && noted.sequence > last.sequence) {
    const what = `Rows were removed at the end: row ${noted.sequence} was noted, and the last one is ${last.sequence}.`;
    return { how: "removed", rowId: null, what };
  }
  const { rows: counts } = await sql<{ count: number }>`select count(*) as count from audit_log`.execute(tx);
  const unnumbered = (counts[0]?.count ?? 0) - last.sequence;
  return unnumbered === 0
    ? null
    : { how: "inserted", rowId: null, what: `${unnumbered} rows were inserted, without a number of their own.` };
}

function faultOfNoted(last: ChainHead, noted: ChainHead | null): ChainFault | null {
  if (noted === null || noted.sequence !== last.sequence || noted.hash === last.hash) return null;
  return {
    how: "head_differs",
    rowId: null,
    what: `Row ${noted.sequence} has another hash than the one that was noted. It, or one before it, was written anew.`,
  };
}

/** As the trigger of migration 0011 does. */
function hashOf(row: ChainedRow): string {
  const { sequence, previous_hash, id, account_id, actor, action, object_id, outcome, details, created_at } = row;
  const columns = [sequence, previous_hash, id, account_id, actor, action, object_id, outcome, details, created_at];
  const text = columns.map((column) => (column === null ? "-," : `${Buffer.byteLength(column)}:${column},`)).join("");
  return createHash("sha256").update(text).digest("hex");
}
