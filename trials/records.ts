/** Everything that the service has recorded about one account. */
import { sql } from "kysely";
import type { Db } from "../packages/server/src/platform/storage/database.ts";
import type { Row } from "../packages/server/src/platform/storage/tables.ts";

export interface Records {
  charges: Row<"charge">[];
  refunds: Row<"refund">[];
  attempts: Row<"attempt">[];
  sessions: Row<"checkout_session">[];
  /** Those that were replaced. */
  versions: Row<"session_version">[];
  entries: Row<"ledger_entry">[];
  disputes: Row<"dispute">[];
  attention: Row<"attention">[];
  events: Row<"event">[];
  notifications: Row<"acquirer_notification">[];
}

const tables = {
  charges: "charge",
  refunds: "refund",
  attempts: "attempt",
  sessions: "checkout_session",
  versions: "session_version",
  entries: "ledger_entry",
  disputes: "dispute",
  attention: "attention",
  events: "event",
  notifications: "acquirer_notification",
} as const;

export async function readRecords(db: Db, accountNo: number): Promise<Records> {
  const records: Record<string, unknown[]> = {};
  for (const [name, table] of Object.entries(tables)) {
    const own = sql`select * from ${sql.table(table)} where account_no = ${accountNo}`;
    records[name] = (await own.execute(db)).rows;
  }
  return records as unknown as Records; // each list has the rows of its table
}

/** Counts the rows by what they say. */
export function countKinds({
  charges,
  refunds,
  attempts,
  sessions,
  entries,
  disputes,
  attention,
}: Records): Map<string, number> {
  const kinds = [
    ...charges.map(({ status }) => `charge ${status}`),
    ...refunds.map(({ status }) => `refund ${status}`),
    ...attempts.map(({ kind, is_step_up, reversal, status }) =>
      [kind, is_step_up && "after a step-up", reversal && `by ${reversal}`, status].filter(Boolean).join(" "),
    ),
    ...sessions.flatMap(({ promotion_code_status: status }) => (status === null ? [] : [`code ${status}`])),
    ...entries.map(({ kind }) => `entry ${kind}`),
    ...disputes.map(({ status }) => `dispute ${status}`),
    ...attention.map(({ kind }) => `attention ${kind}`),
  ];
  return new Map([...Map.groupBy(kinds, (kind) => kind)].map(([kind, all]) => [kind, all.length]));
}
