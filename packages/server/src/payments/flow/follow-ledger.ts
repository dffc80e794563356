/**
 * Brings a charge and its refunds into agreement with the ledger. Outcomes are applied as they arrive (`end-attempt.ts`).
 * What is reported after an outcome can contradict it, and more than once, so then the ledger decides. Call this after each
 * such report, and when a charge or a part of its amount becomes free, because nothing changes while it isn't:
 *
 * ```
 *                                the ledger has in the end
 * charge, failed or authorized   a capture                               --> succeeded, unless it's busy
 * charge, succeeded              no capture, because one failed          --> failed, unless something of it is refunded
 * refund, failed                 a refund                                --> succeeded, unless its amount is used
 * refund, succeeded              no refund, because one failed           --> failed
 * ```
 * A charge that's canceled stays canceled. A failure without its success counts as nothing. The capture of an approval
 * that came too late isn't the charge's (`reversals/reversals.ts`).
 */
import { noCause, type Cause } from "../../platform/cause.ts";
import type { Tx } from "../../platform/storage/database.ts";
import { hasId } from "../../platform/storage/owned-by.ts";
import type { Row } from "../../platform/storage/tables.ts";
import { tenantOf } from "../../platform/tenant.ts";
import { causeOf } from "../attempts/attempt-state.ts";
import { toChargeWithSession } from "../charges/charge-object.ts";
import { failLate as failCharge, recover as recoverCharge } from "../charges/charge-state.ts";
import type { PaymentContext } from "../context.ts";
import { recordEvent } from "../events/record-event.ts";
import { toRefund } from "../refunds/refund-object.ts";
import { failLate as failRefund, recover as recoverRefund } from "../refunds/refund-state.ts";
import { loseCapture, recoverCapture } from "../sessions/session-state.ts";
import { releaseRest } from "./release-rest.ts";

type Context = Pick<PaymentContext, "now">;

interface Options {
  /** What was reported. Its own request is the cause of the events about its object. */
  about?: Row<"attempt">;
  /** The acquirer doesn't release what wasn't captured. */
  retainsRest?: boolean;
}

interface Changes {
  hasFailed: boolean;
  hasRecovered: boolean;
  /** IDs. */
  failedRefunds: string[];
}

/** What the ledger says about an attempt: the sum of its movements, and whether one of them failed. */
interface Moved {
  sum: number;
  hasFailed: boolean;
}

/** What ends a capture or refund that had succeeded. */
export const failures: ReadonlySet<Row<"ledger_entry">["kind"]> = new Set([
  "capture_failed",
  "refund_failed",
  "refund_reversed",
]);

export async function followLedger(
  context: Context,
  tx: Tx,
  chargeId: string,
  { about, retainsRest = false }: Options = {},
): Promise<Changes> {
  // Of two reports at the same time, one has to see the other's entries.
  const charges = tx.selectFrom("charge").selectAll().where(hasId(chargeId));
  const charge = await charges.forNoKeyUpdate().executeTakeFirstOrThrow();
  const attempts = await tx.selectFrom("attempt").selectAll().where(hasId(chargeId, "charge_id")).execute();
  const moved = await movedBy(tx, chargeId);
  const captures = attempts.filter(includesCapture).flatMap(({ id }) => moved.get(id) ?? []);
  const captured = captures.reduce((sum, capture) => sum + Math.max(0, capture.sum), 0);
  const isLost = captured === 0 && captures.some(({ hasFailed }) => hasFailed);
  const cause = about === undefined || about.kind === "refund" ? noCause : causeOf(about);

  const recovered = captured > 0 ? await recoverCharge(tx, chargeId, Math.min(captured, charge.amount)) : undefined;
  if (recovered !== undefined) {
    await record(context, tx, recovered, recoverCapture, "payment.succeeded", cause);
    if (retainsRest) await releaseRest(context, tx, recovered, recovered.amount_captured);
  }
  const failedRefunds = [];
  for (const attempt of attempts) {
    const refund = await followRefund(context, tx, attempt, moved.get(attempt.id), about);
    if (refund?.status === "failed") failedRefunds.push(refund.id);
  }
  const failed = isLost ? await failCharge(tx, chargeId, "processing_error") : undefined;
  if (failed !== undefined) await record(context, tx, failed, loseCapture, "charge.capture_failed", cause);
  return { hasFailed: failed !== undefined, hasRecovered: recovered !== undefined, failedRefunds };
}

async function record(
  context: Context,
  tx: Tx,
  charge: Row<"charge">,
  changeSession: typeof loseCapture,
  type: "payment.succeeded" | "charge.capture_failed",
  cause: Cause,
): Promise<void> {
  const { session_id, decision_id } = charge;
  const session = session_id === null ? null : await changeSession(tx, session_id, decision_id);
  await recordEvent(context, tx, tenantOf(charge), { type, object: toChargeWithSession(charge, session) }, cause);
}

/** @returns undefined if nothing has changed */
async function followRefund(
  context: Context,
  tx: Tx,
  { refund_id: id, status }: Row<"attempt">,
  { sum, hasFailed }: Moved = { sum: 0, hasFailed: false },
  about: Row<"attempt"> | undefined,
): Promise<Row<"refund"> | undefined> {
  const isRefunded = sum < 0;
  const isRecovered = isRefunded && status === "declined";
  if (id === null || !(hasFailed || isRecovered)) return undefined;
  const refund = isRefunded ? await recoverRefund(tx, id) : await failRefund(tx, id, "processing_error");
  if (refund === undefined) return undefined;
  const type = isRefunded ? "refund.succeeded" : "refund.failed";
  const cause = about?.refund_id === id ? causeOf(about) : noCause;
  await recordEvent(context, tx, tenantOf(refund), { type, object: toRefund(refund) }, cause);
  return refund;
}

/** By the attempt's ID. */
async function movedBy(tx: Tx, chargeId: string): Promise<Map<string, Moved>> {
  const entries = await tx
    .selectFrom("ledger_entry")
    .select(["attempt_id", "kind", "amount"])
    .where(hasId(chargeId, "charge_id"))
    .execute();
  const moved = new Map<string, Moved>();
  for (const { attempt_id, kind, amount } of entries) {
    if (attempt_id === null) continue; // of a dispute
    const { sum, hasFailed } = moved.get(attempt_id) ?? { sum: 0, hasFailed: false };
    moved.set(attempt_id, { sum: sum + amount, hasFailed: hasFailed || failures.has(kind) });
  }
  return moved;
}

/** Whether an attempt is a capture, or an authorization that may include it. One that was approved too late is declined. */
function includesCapture({ kind, status }: Row<"attempt">): boolean {
  return kind === "capture" || (kind === "authorize" && status === "approved");
}
