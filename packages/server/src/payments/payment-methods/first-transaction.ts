/** Finds the payment or verification with which a card was saved. */
import type { Db } from "../../platform/storage/database.ts";
import { statement } from "../../platform/storage/statement.ts";
import type { Row } from "../../platform/storage/tables.ts";

// A subquery, because PostgreSQL could also begin a join with all of the account's attempts.
const find = statement<{ network_transaction_id: string | null }>(/* sql */ `
  select attempt.network_transaction_id
  from decision
  join attempt on attempt.account_no = :account_no and attempt.livemode = :livemode
    and attempt.decision_id = decision.id and attempt.kind in ('authorize', 'verify') and attempt.status = 'approved'
  where decision.account_no = :account_no and decision.livemode = :livemode and decision.payment_method_id = :id
    and decision.session_id = (
      select session_id from payment_method where account_no = :account_no and livemode = :livemode and id = :id
    )`);

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
