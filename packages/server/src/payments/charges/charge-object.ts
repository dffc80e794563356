/** Converts a charge to the object in the API and in events. */
import type { Charge, ChargeWithSession } from "@oriel/protocol/api";
import type { Row } from "../../platform/storage/tables.ts";
import { unixSeconds } from "../../platform/unix-seconds.ts";
import { attemptsLeft } from "../sessions/session-state.ts";
import { failureOf } from "./decline.ts";

/** The columns that the object is made from. */
export type ChargeColumns = Omit<Row<"charge">, "account_no" | "amount_refunding" | "busy_attempt_id">;

export function toCharge(row: ChargeColumns): Charge {
  return {
    id: row.id,
    object: "charge",
    livemode: row.livemode,
    created: unixSeconds(row.created_at),
    status: row.status,
    amount: row.amount,
    currency: row.currency,
    amount_captured: row.amount_captured,
    amount_refunded: row.amount_refunded,
    capture_method: row.capture_method,
    pending_operation: row.pending_operation,
    payment_method_id: row.payment_method_id,
    decision_id: row.decision_id,
    session_id: row.session_id,
    // Null in charges of processes that knew only sessions that never change.
    session_version: row.session_id === null ? null : (row.session_version ?? 1),
    failure: failureOf(row.decline_code),
    metadata: row.metadata,
  };
}

/** The columns of the charge's session that an event contains. */
export type SessionColumns = Pick<
  Row<"checkout_session">,
  "id" | "status" | "payment_status" | "failed_payments" | "metadata"
>;

export function toChargeWithSession(row: ChargeColumns, session: SessionColumns | null): ChargeWithSession {
  return {
    ...toCharge(row),
    session:
      session === null
        ? null
        : {
            id: session.id,
            status: session.status,
            payment_status: session.payment_status,
            attempts_left: attemptsLeft(session),
            metadata: session.metadata,
          },
  };
}
