/** Finds the payment or verification with which a card was saved. */
import type { Db } from "../../platform/storage/database.ts";
import { statement } from "../../platform/storage/statement.ts";
import type { Row } from "../../platform/storage/tables.ts";

const find = statement<{ network_transaction_id: string | null }>(/* sql */ `
  select attempt.network_transaction_id
  from payment_method
  join decision on decision.account_no = :account_no and decision.livemode = :livemode
    and decision.payment_method_id = payment_method.id and decision.session_id = payment_method.session_id
  join attempt on attempt.account_no = :account_no and attempt.livemode = :livemode
    and attempt.decision_id = decision.id and attempt.kind in ('authorize', 'verify') and attempt.status = 'approved'
  where payment_method.account_no = :account_no and payment_method.livemode = :livemode and payment_method.id = :id`);

/**
 * The card network's ID of that transaction, which issuers want to see in later payments without the customer. Null if the
 * acquirer didn't report it, and for test payment methods.
 */
export async function firstTransactionId(
  db: Db,
  { account_no, livemode }: Pick<Row<"attempt">, "account_no" | "livemode">,
  paymentMethodId: string,
): Promise<string | null> {
  const [first] = await find(db, { account_no, livemode, id: paymentMethodId });
  return first?.network_transaction_id ?? null;
}
