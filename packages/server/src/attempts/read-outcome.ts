/** The answer that an attempt's outcome makes, read from what was written down. */
import { cardDeclined } from "../charges/decline.ts";
import { toCharge } from "../charges/charge-object.ts";
import type { Context } from "../context.ts";
import { refusalAnswer, successAnswer, type StoredAnswer } from "../idempotency/stored-answer.ts";
import { toRefund } from "../refunds/refund-object.ts";

/** Null while it is not known. */
export async function readOutcome({ db }: Pick<Context, "db">, attemptId: string): Promise<StoredAnswer | null> {
  const attempt = await db.selectFrom("attempt").selectAll().where("id", "=", attemptId).executeTakeFirstOrThrow();
  if (attempt.status === "processing") return null;
  if (attempt.decline_code !== null) return refusalAnswer(cardDeclined(attempt.decline_code));
  if (attempt.refund_id !== null) {
    const refund = db.selectFrom("refund").selectAll().where("id", "=", attempt.refund_id);
    return successAnswer(toRefund(await refund.executeTakeFirstOrThrow()));
  }
  const charge = db.selectFrom("charge").selectAll().where("id", "=", attempt.charge_id);
  return successAnswer(toCharge(await charge.executeTakeFirstOrThrow()));
}
