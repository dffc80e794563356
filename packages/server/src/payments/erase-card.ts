/**
 * The card of a payment method that was not saved has served: its payment is over, whatever becomes of this. Should it fail, it is logged and the
 * sweeper does it.
 */
import type { Context } from "../context.ts";

export async function eraseCard(
  { db, vault, now, log }: Pick<Context, "db" | "vault" | "now" | "log">,
  paymentMethodId: string,
): Promise<void> {
  try {
    await vault.erase([paymentMethodId]);
    await db.updateTable("payment_method").set({ card_erased_at: now() }).where("id", "=", paymentMethodId).execute();
  } catch (error) {
    const details = { payment_method: paymentMethodId, error: error instanceof Error ? error.stack : String(error) };
    log.error(details, "A served card could not be erased; the sweeper will try again");
  }
}
