/**
 * The ledger's entries about the capture of an approval that came too late (`reversals.ts`). The trigger that enters
 * captures can't do it, because the authorization has ended as declined. Each entry is made at most once.
 */
import type { Db, Tx } from "../../platform/storage/database.ts";
import { hasId } from "../../platform/storage/owned-by.ts";
import type { Row } from "../../platform/storage/tables.ts";
import { tenantOf } from "../../platform/tenant.ts";
import type { PaymentContext } from "../context.ts";
import { enterInLedger } from "../ledger/enter.ts";

type Context = Pick<PaymentContext, "now">;

export async function chargeOf(db: Db, { charge_id }: Row<"attempt">) {
  const charge = db.selectFrom("charge").select(["id", "currency", "capture_method"]).where(hasId(charge_id));
  return await charge.executeTakeFirstOrThrow();
}

/** Whether it has failed, and wasn't repeated. */
export async function hasCaptureFailed(db: Db, authorization: Row<"attempt">): Promise<boolean> {
  const entries = entriesOf(db, authorization).where("kind", "in", ["capture_failed", "capture_repeated"]);
  return (await entries.execute()).reduce((sum, { amount }) => sum + amount, 0) < 0;
}

/** Enters the capture of a payment that was captured at once. */
export async function enterCapture({ now }: Context, tx: Tx, authorization: Row<"attempt">): Promise<void> {
  const { id: attemptId, acquirer_id, amount } = authorization;
  const { id: chargeId, currency } = await chargeOf(tx, authorization);
  const reference = acquirer_id ?? attemptId;
  const entry = { chargeId, kind: "capture", reference, amount, currency, attemptId } as const;
  await enterInLedger(tx, tenantOf(authorization), entry, now());
}

/** Balances a capture that never happened. It was entered because its refund was about to be sent. */
export async function takeBackCapture({ now }: Context, tx: Tx, authorization: Row<"attempt">): Promise<void> {
  const capture = await entriesOf(tx, authorization).where("kind", "=", "capture").executeTakeFirst();
  if (capture === undefined || (await hasCaptureFailed(tx, authorization))) return;
  const { charge_id: chargeId, reference, amount, currency, attempt_id: attemptId } = capture;
  const entry = { chargeId, kind: "capture_failed", reference, amount: -amount, currency, attemptId } as const;
  await enterInLedger(tx, tenantOf(authorization), entry, now());
}

function entriesOf(db: Db, { id, charge_id }: Row<"attempt">) {
  return db.selectFrom("ledger_entry").selectAll().where(hasId(charge_id, "charge_id")).where("attempt_id", "=", id);
}
