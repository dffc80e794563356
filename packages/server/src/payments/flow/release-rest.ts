/**
 * Releases what a partial capture left. Most acquirers do it by themselves. One with multiple partial captures keeps
 * the rest reserved for other captures, which we don't make, so we cancel it. That's an attempt of kind `cancel` of its
 * own. The charge has succeeded by then, so it isn't busy with the attempt, whose outcome changes nothing.
 *
 * Sources for Adyen: `POST /payments/{paymentPspReference}/captures` in Checkout API v72, and Adyen's support in
 * https://github.com/Adyen/adyen-commercetools/issues/1032: a cancellation after all captures releases what they left.
 */
import { acquirerFor } from "../../merchants/accounts/live-mode.ts";
import type { EmailContext } from "../../merchants/emails/outbox.ts";
import { noCause } from "../../platform/cause.ts";
import { newId } from "../../platform/ids.ts";
import type { Db, Tx } from "../../platform/storage/database.ts";
import { hasId } from "../../platform/storage/owned-by.ts";
import type { Row } from "../../platform/storage/tables.ts";
import { tenantOf } from "../../platform/tenant.ts";
import { insertAttempt } from "../attempts/attempt-state.ts";
import type { Subject } from "../attempts/subject.ts";
import { raiseAttention } from "../attention/raise-attention.ts";
import type { PaymentContext } from "../context.ts";

/**
 * Whether the acquirer of a capture keeps the rest reserved. If the acquirer can't be used now, it's canceled to be
 * safe. An earlier capture can be reported as done when a cancellation ends.
 */
export async function retainsRest(
  context: PaymentContext,
  attempt: Row<"attempt">,
  { acquirer_account_id }: Pick<Subject, "acquirer_account_id">,
): Promise<boolean> {
  if (attempt.kind !== "capture" && attempt.kind !== "cancel") return false;
  const acquirer = await acquirerFor(context, tenantOf(attempt), acquirer_account_id);
  return acquirer === null || acquirer.capabilities.multiplePartialCaptures;
}

/** Inserts the attempt, which a worker runs, unless there is one. @param captured the amount of the charge's capture */
export async function releaseRest(
  context: Pick<PaymentContext, "now">,
  tx: Tx,
  charge: Row<"charge">,
  captured: number,
): Promise<void> {
  const { id: charge_id, decision_id, amount, ...owned } = charge;
  if (captured === amount || (await isReleased(tx, charge_id))) return;
  const owner = tenantOf(owned);
  const id = newId("att", context.now(), owner);
  const rest = { id, kind: "cancel", decision_id, charge_id, amount: amount - captured } as const;
  await insertAttempt(context, tx, owner, rest, noCause);
}

/** Whether the rest is being released, or was, because the charge was captured before. */
async function isReleased(tx: Tx, chargeId: string): Promise<boolean> {
  const cancellations = tx.selectFrom("attempt").select("id").where(hasId(chargeId, "charge_id"));
  const open = cancellations.where("kind", "=", "cancel").where("status", "!=", "declined");
  return (await open.executeTakeFirst()) !== undefined;
}

/** Whether a cancellation only releases the rest. */
export async function isOfRest(db: Db, { id, kind, charge_id }: Row<"attempt">): Promise<boolean> {
  if (kind !== "cancel") return false;
  const charge = db.selectFrom("charge").select("busy_attempt_id").where(hasId(charge_id));
  return (await charge.executeTakeFirstOrThrow()).busy_attempt_id !== id;
}

/** The customer can't use the rest until the issuer releases it, which can take weeks. */
export async function raiseRestNotReleased(
  context: EmailContext,
  tx: Tx,
  { id, charge_id: chargeId, acquirer_id, amount, refusal_reason: reason, ...owned }: Row<"attempt">,
): Promise<void> {
  const charge = tx.selectFrom("charge").select("currency").where(hasId(chargeId));
  const { currency } = await charge.executeTakeFirstOrThrow();
  const details = { reference: id, acquirer_id, amount, currency, reason };
  const concern = { kind: "rest_not_released", subject: id, chargeId, attemptId: id, details } as const;
  await raiseAttention(context, tx, tenantOf(owned), concern);
}
