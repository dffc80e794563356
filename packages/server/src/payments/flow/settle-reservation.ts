/**
 * Applies the outcome of a capture or a cancellation to the charge and its session.
 *
 * If the acquirer declines, the charge stays `authorized` so that the merchant can try again. An event tells the
 * merchant why, because the original response may only have said that the outcome is unknown. If the acquirer no longer
 * knows the hold, retrying is pointless and the charge is canceled. If the money was captured and came back, the charge
 * has failed. Either way, an earlier capture may have been reported as done meanwhile.
 */
import type { DeclineCode } from "@oriel/protocol/declines";
import type { PlatformContext } from "../../platform/context.ts";
import type { Tx } from "../../platform/storage/database.ts";
import { hasId } from "../../platform/storage/owned-by.ts";
import type { Row } from "../../platform/storage/tables.ts";
import { tenantOf } from "../../platform/tenant.ts";
import { causeOf } from "../attempts/attempt-state.ts";
import { toChargeWithSession } from "../charges/charge-object.ts";
import { cancel, capture, endHold, failEarly, free } from "../charges/charge-state.ts";
import { failureOf } from "../charges/decline.ts";
import { recordEvent, type Happening } from "../events/record-event.ts";
import { settleReserved } from "../sessions/session-state.ts";
import { followLedger } from "./follow-ledger.ts";
import { isOfRest, releaseRest, raiseRestNotReleased } from "./release-rest.ts";

/** What a declined capture or cancellation says about the hold. */
export interface HoldEnding {
  /** The acquirer no longer knows it. */
  isHoldGone: boolean;
  /** It was captured, and the money came back. */
  isCaptureLost?: boolean;
  /** The acquirer doesn't release what wasn't captured. */
  retainsRest?: boolean;
}

export async function settleReservation(
  context: PlatformContext,
  tx: Tx,
  attempt: Row<"attempt">,
  { isHoldGone, isCaptureLost = false, retainsRest = false }: HoldEnding,
): Promise<void> {
  const { id: attemptId, charge_id: id, amount, kind, decline_code } = attempt;
  if (id === null) throw new Error(`Bug: attempt ${attemptId} has no charge`);
  if (await isOfRest(tx, attempt)) {
    if (decline_code !== null) await raiseRestNotReleased(context, tx, attempt);
    return;
  }
  const record = async (happening: Happening) => {
    await recordEvent(context, tx, tenantOf(attempt), happening, causeOf(attempt));
  };

  if (decline_code !== null && isCaptureLost) {
    const charge = await failEarly(tx, id, attemptId, decline_code);
    await record(await ended(tx, charge, "charge.capture_failed"));
    if (retainsRest) await releaseRest(context, tx, charge, amount);
    await followLedger(context, tx, id, { retainsRest });
  } else if (decline_code !== null) {
    await record(await refused(tx, await free(tx, id, attemptId), kind, decline_code));
    const { hasRecovered } = await followLedger(context, tx, id, { retainsRest });
    if (isHoldGone && !hasRecovered) await record(await ended(tx, await endHold(tx, id), "charge.canceled"));
  } else if (kind === "capture") {
    const charge = await capture(tx, id, attemptId, amount);
    await record(await ended(tx, charge, "payment.succeeded"));
    if (retainsRest) await releaseRest(context, tx, charge, amount);
  } else {
    await record(await ended(tx, await cancel(tx, id, attemptId), "charge.canceled"));
  }
}

async function ended(
  tx: Tx,
  charge: Row<"charge">,
  type: "payment.succeeded" | "charge.canceled" | "charge.capture_failed",
): Promise<Happening> {
  const { session_id, decision_id } = charge;
  const paymentStatus = type === "payment.succeeded" ? "paid" : "unpaid";
  const session = session_id === null ? null : await settleReserved(tx, session_id, decision_id, paymentStatus);
  return { type, object: toChargeWithSession(charge, session) };
}

/** The charge itself hasn't failed, so only this event contains the `failure`. */
async function refused(
  tx: Tx,
  charge: Row<"charge">,
  kind: Row<"attempt">["kind"],
  code: DeclineCode,
): Promise<Happening> {
  const sessions = tx.selectFrom("checkout_session").selectAll().where(hasId(charge.session_id));
  const session = (await sessions.executeTakeFirst()) ?? null;
  const type = kind === "capture" ? "charge.capture_failed" : "charge.cancel_failed";
  return { type, object: { ...toChargeWithSession(charge, session), failure: failureOf(code) } };
}
