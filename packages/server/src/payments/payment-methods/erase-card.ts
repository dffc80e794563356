/**
 * The card of a payment method that was not saved has served: its payment is over, whatever becomes of this. Should it
 * fail, it is logged and the sweeper does it. What the customer gave beside the card goes with it.
 */
import type { PlatformContext } from "../../platform/context.ts";
import type { Db } from "../../platform/storage/database.ts";
import { stackOf } from "../../platform/stack-of.ts";

/** False when it could not be erased just now. */
export async function eraseCard(
  { db, vault, now, log }: Pick<PlatformContext, "db" | "vault" | "now" | "log">,
  paymentMethodId: string,
): Promise<boolean> {
  try {
    await vault.erase([paymentMethodId]);
    await db
      .updateTable("payment_method")
      .set({ card_erased_at: now(), billing_details: null })
      .where("id", "=", paymentMethodId)
      .execute();
    return true;
  } catch (error) {
    const details = { payment_method: paymentMethodId, error: stackOf(error) };
    log.error(details, "A served card could not be erased; the sweeper will try again");
    return false;
  }
}

/** Payment methods whose cards are not to be kept, and with which nothing is under way. */
export async function findServedCards(db: Db, limit: number): Promise<string[]> {
  const served = await db
    .selectFrom("payment_method")
    .select("payment_method.id")
    .where("payment_method.card_erased_at", "is", null)
    .where("payment_method.reusable", "=", false)
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom("decision")
            .leftJoin("attempt", (join) =>
              join.onRef("attempt.decision_id", "=", "decision.id").on("attempt.kind", "in", ["authorize", "verify"]),
            )
            .leftJoin("authentication", "authentication.decision_id", "decision.id")
            .select("decision.id")
            .whereRef("decision.payment_method_id", "=", "payment_method.id")
            .where(({ eb, or }) =>
              or([
                eb("decision.status", "in", ["requires_action", "approved"]),
                eb("attempt.status", "=", "processing"),
                eb("authentication.status", "!=", "complete"), // between two attempts
              ]),
            ),
        ),
      ),
    )
    .limit(limit)
    .execute();
  return served.map(({ id }) => id);
}
