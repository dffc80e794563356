/**
 * Settles an attempt in one statement with everything that follows: the attempt ends, the object that it is for
 * changes, the event and its deliveries are recorded, and the response of the request that created the attempt is
 * stored. If another process has settled the attempt, nothing changes.
 */
import type { PlatformContext } from "../../platform/context.ts";
import { outcomeValues, storedOutcome } from "../../platform/idempotency/idempotency.ts";
import type { StoredResponse } from "../../platform/idempotency/stored-response.ts";
import { statement } from "../../platform/storage/statement.ts";
import type { Row } from "../../platform/storage/tables.ts";
import { tenantOf } from "../../platform/tenant.ts";
import { announceEvent, eventValues, recordedEvent, type Happening } from "../events/record-event.ts";
import { causeOf } from "./attempt-state.ts";
import { replyColumns, type FinalReply } from "./final-reply.ts";

export interface Outcome {
  reply: FinalReply;
  happening: Happening;
  response: StoredResponse;
}

/**
 * @param changes the parts of the statement that change the object, if `settled` has a row. The last one is called
 *   `happened` (`recordedEvent`). To roll everything back if a row isn't in the expected state, it returns a null.
 * @returns a function that settles an attempt. It returns the response to the request that created the attempt, or null
 *   if another process settled the attempt first.
 */
export function settlement(changes: string) {
  const settle = statement<{ settled: number; delivered: number }>(/* sql */ `
    with found as (
      select id, status from attempt
      where account_no = :account_no::bigint and livemode = :livemode::boolean and id = :attempt_id::text
      for no key update
    ),
    settled as (
      update attempt set status = :attempt_status, decline_code = :decline_code, acquirer_id = :acquirer_id,
        authorization_code = :authorization_code, avs_result = :avs_result, cvc_result = :cvc_result,
        network_transaction_id = :network_transaction_id, refusal_code = :refusal_code,
        refusal_reason = :refusal_reason, finished_at = :now::timestamptz, claimed_until = null
      where account_no = :account_no and livemode = :livemode
        and id = (select id from found where status = 'processing')
      returning id
    ),
    ${changes},
    ${recordedEvent},
    ${storedOutcome}
    select (select count(*) from settled) as settled, (select count(*) from delivered) as delivered`);

  return async (
    context: Pick<PlatformContext, "db" | "keys" | "now">,
    attempt: Row<"attempt">,
    { reply, happening, response }: Outcome,
    values: Readonly<Record<string, unknown>>,
  ): Promise<StoredResponse | null> => {
    const { status: attempt_status, ...columns } = replyColumns(reply);
    const [result] = await settle(context.db, {
      ...outcomeValues(context, attempt, response),
      ...eventValues(tenantOf(attempt), happening, causeOf(attempt), context.now()),
      attempt_status,
      ...columns,
      ...values,
    });
    if (result?.settled !== 1) return null;
    announceEvent(context.db, result.delivered);
    return response;
  };
}
