/** The card of a payment method that was not saved has served: its payment is over. Should this fail, the sweeper does it. */
import type { Context } from "../context.ts";

export async function eraseCard(
  { db, vault, now }: Pick<Context, "db" | "vault" | "now">,
  paymentMethodId: string,
): Promise<void> {
  await vault.erase([paymentMethodId]);
  await db.updateTable("payment_method").set({ card_erased_at: now() }).where("id", "=", paymentMethodId).execute();
}
