/**
 * The response for an attempt: its outcome, or what the acquirer has accepted. It's built in one place so that every
 * retry gets the same response.
 */
import { refusalResponse, successResponse, type StoredResponse } from "../../platform/idempotency/stored-response.ts";
import type { Db } from "../../platform/storage/database.ts";
import { hasId } from "../../platform/storage/owned-by.ts";
import type { Row } from "../../platform/storage/tables.ts";
import { toCharge } from "../charges/charge-object.ts";
import { cardDeclined, refundMessage } from "../charges/decline.ts";
import { toRefund } from "../refunds/refund-object.ts";

/**
 * Null while the outcome is unknown, and for a verification or a reversal, which no API request creates. An
 * authorization that was only accepted is unknown too, because the caller needs to know whether the customer has paid.
 */
export async function readOutcome(db: Db, attempt: Row<"attempt">): Promise<StoredResponse | null> {
  const { kind, status, accepted_at, decline_code } = attempt;
  if (kind === "verify" || kind === "reverse") return null;
  if (status === "processing" && (accepted_at === null || kind === "authorize")) return null;
  if (decline_code !== null)
    return refusalResponse(kind === "refund" ? cardDeclined(decline_code, refundMessage) : cardDeclined(decline_code));
  if (attempt.refund_id !== null) {
    const refund = db.selectFrom("refund").selectAll().where(hasId(attempt.refund_id));
    return successResponse(toRefund(await refund.executeTakeFirstOrThrow()));
  }
  const charge = db.selectFrom("charge").selectAll().where(hasId(attempt.charge_id));
  return successResponse(toCharge(await charge.executeTakeFirstOrThrow()));
}
