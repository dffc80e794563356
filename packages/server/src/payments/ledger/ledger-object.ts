/** Converts a ledger entry to the object in the API. */
import type { LedgerEntry } from "@oriel/protocol/api";
import type { Row } from "../../platform/storage/tables.ts";
import { unixSeconds } from "../../platform/unix-seconds.ts";

export function toLedgerEntry(row: Omit<Row<"ledger_entry">, "account_no" | "attempt_id">): LedgerEntry {
  return {
    object: "ledger_entry",
    livemode: row.livemode,
    created: unixSeconds(row.created_at),
    charge_id: row.charge_id,
    kind: row.kind,
    amount: row.amount,
    currency: row.currency,
    reference: row.reference,
  };
}
