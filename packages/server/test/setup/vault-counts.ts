/** Counts the cards and CVCs that the vault currently stores, by reading its tables. */
import { sql } from "kysely";
import type { Checkout } from "./customer.ts";
import type { TestService } from "./test-service.ts";

/** Counts for all payment methods of a session, or for one payment method. */
export async function storedCards(
  { context }: Pick<TestService, "context">,
  of: Pick<Checkout, "sessionId"> | { paymentMethodId: unknown },
): Promise<{ cards: number; codes: number }> {
  const [column, id] = "sessionId" in of ? ["session_id", of.sessionId] : ["id", String(of.paymentMethodId)];
  const { rows } = await sql<{ cards: number; codes: number }>`
    select count(card.payment_method_id)::integer as cards, count(code.payment_method_id)::integer as codes
      from payment_method left join vault.card as card on card.payment_method_id = payment_method.id
      left join vault.cvc as code on code.payment_method_id = payment_method.id
     where ${sql.ref(`payment_method.${column}`)} = ${id}`.execute(context.db);
  return rows[0] ?? { cards: -1, codes: -1 };
}
