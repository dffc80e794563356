/**
 * Makes tables as large as they are after a while: one row of each is copied many times, so that PostgreSQL plans for
 * many. Every copy has its own IDs and keys, whose order is that of the rows, is a second older than the one before, and
 * ends a second later. No test reads the content of the copies.
 */
import { sql } from "kysely";
import type { Db } from "../../src/platform/storage/database.ts";

/** The tables that grow with payments, requests and merchants. */
export const growingTables = [
  "account",
  "acquirer_notification",
  "application",
  "application_document",
  "application_transition",
  "attempt",
  "attention",
  "audit_log",
  "authentication",
  "card_try",
  "charge",
  "checkout_session",
  "customer",
  "decision",
  "delivery",
  "dispute",
  "event",
  "feed_entry",
  "event_sequence",
  "idempotency_key",
  "invitation",
  "ledger_entry",
  "login",
  "member",
  "payment_method",
  "refund",
  "request_log",
  "search_term",
  "shared_try",
  "vault.card",
  "vault.used_nonce",
] as const;

interface Column {
  name: string;
  type: string;
}

/**
 * @param copies the number of copies of one row of each table
 * @throws Error for a table without a row
 */
export async function growTables(db: Db, copies: number): Promise<void> {
  await db.connection().execute(async (connection) => {
    // Turns off foreign keys, because the copies refer to nothing.
    await sql`set session_replication_role = replica`.execute(connection);
    for (const table of growingTables) await copyRow(connection, table, copies);
    await sql`reset session_replication_role`.execute(connection);
    await sql`vacuum analyze`.execute(connection);
  });
}

async function copyRow(db: Db, table: string, copies: number): Promise<void> {
  const { rows: columns } = await sql<Column>`
    select attname as name, format_type(atttypid, null) as type from pg_attribute
    where attrelid = ${table}::regclass and attnum > 0 and not attisdropped and attidentity = ''`.execute(db);
  const names = columns.map(({ name }) => `"${name}"`).join(", ");
  const values = columns.map((column) => ownValue(table, column)).join(", ");
  const { numAffectedRows } = await sql
    .raw(
      `insert into ${table} (${names}) select ${values} from (select * from ${table} limit 1) original, generate_series(1, ${copies}) g`,
    )
    .execute(db);
  if (Number(numAffectedRows) !== copies) throw new Error(`There is no ${table} to copy.`);
}

function ownValue(table: string, { name, type }: Column): string {
  const original = `original."${name}"`;
  // These columns are unique per copy.
  if (name === "email" || (name === "reference" && table === "customer")) return `${original} || ' copy ' || g`;
  if (name === "account_no" && (table === "account" || table === "application")) return "g";
  if (name === "key_id") return original;
  if (name === "number") return "1000000 + g"; // the event feed: after the last entry
  if (name === "sequence") return "-g"; // the audit log: before the first row, and unique
  // Half of the copies belong to the original's account and endpoint, so reading all of an account's rows isn't cheap.
  if (name === "account_no") return `case g % 2 when 0 then ${original} else g % 1000 end`;
  if (/^(account_id|endpoint_id)$/.test(name))
    return `case g % 2 when 0 then ${original} else 'another ' || g % 1000 end`;
  if (name === "resolved_at") return `coalesce(${original}, original.created_at)`;
  if (type === "text" && /(^|_)(id|key|nonce|subject)$/.test(name))
    return `${original} || ' copy ' || lpad(g::text, 6, '0')`;
  if (type === "bytea" && /^(card|fingerprint|nonce|token_hash)$/.test(name)) return `decode(md5(g::text), 'hex')`;
  if (type !== "timestamp with time zone") return original;
  return `${original} ${/^(expires|erase|keep|next|deadline)/.test(name) ? "+" : "-"} g * interval '1 second'`;
}
