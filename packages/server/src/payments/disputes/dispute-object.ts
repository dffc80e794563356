/** Converts a dispute to the object in the API and in events. */
import type { Dispute } from "@oriel/protocol/api";
import type { Row } from "../../platform/storage/tables.ts";
import { unixSeconds } from "../../platform/unix-seconds.ts";

export function toDispute(row: Omit<Row<"dispute">, "account_no" | "events" | "closed_at">): Dispute {
  return {
    id: row.id,
    object: "dispute",
    livemode: row.livemode,
    created: unixSeconds(row.created_at),
    status: row.status,
    charge_id: row.charge_id,
    amount: row.amount,
    currency: row.currency,
    reason: row.reason,
    respond_by: row.respond_by === null ? null : unixSeconds(row.respond_by),
    acquirer_id: row.acquirer_id,
  };
}
