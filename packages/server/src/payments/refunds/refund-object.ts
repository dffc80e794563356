/** Converts a refund to the object in the API and in events. */
import type { Refund } from "@oriel/protocol/api";
import type { Row } from "../../platform/storage/tables.ts";
import { unixSeconds } from "../../platform/unix-seconds.ts";
import { failureOf, refundMessage } from "../charges/decline.ts";

export function toRefund(row: Omit<Row<"refund">, "account_no">): Refund {
  return {
    id: row.id,
    object: "refund",
    livemode: row.livemode,
    created: unixSeconds(row.created_at),
    status: row.status,
    amount: row.amount,
    currency: row.currency,
    charge_id: row.charge_id,
    reason: row.reason,
    failure: failureOf(row.decline_code, refundMessage),
  };
}
