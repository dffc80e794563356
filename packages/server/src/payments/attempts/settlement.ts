/**
 * Settles an attempt in one function with everything that follows: the attempt ends, the object that it is for changes, the
 * event and its deliveries are recorded, and the response of the request that created the attempt is stored. If another
 * process has settled the attempt, nothing changes.
 */
import type { PlatformContext } from "../../platform/context.ts";
import { outcomeArguments, outcomeValues, storedOutcome } from "../../platform/idempotency/idempotency.ts";
import type { StoredResponse } from "../../platform/idempotency/stored-response.ts";
import { storedFunction, type Definition, type StoredFunction } from "../../platform/storage/stored-function.ts";
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

type Settlement = StoredFunction<{ deliveries: number }>;

/** @param more what is particular to the object */
export function settlement(
  name: string,
  more: {
    takes: Definition["takes"];
    declares: string;
    /**
     * The steps that change the object. They set `happened` (`recordedEvent`). If a row isn't in the expected state, they
     * leave it null, and everything is rolled back.
     */
    changes: string;
    /** The last steps, for rows that other payments may need, too. */
    shared?: string;
  },
): Settlement {
  return storedFunction(name, {
    takes: {
      account_no: "bigint",
      livemode: "boolean",
      ...outcomeArguments,
      attempt_status: "text",
      decline_code: "text",
      acquirer_id: "text",
      authorization_code: "text",
      avs_result: "text",
      cvc_result: "text",
      network_transaction_id: "text",
      refusal_code: "text",
      refusal_reason: "text",
      ...recordedEvent.takes,
      ...more.takes,
    },
    returns: "deliveries integer",
    declares: `status_before text; ${recordedEvent.declares} ${more.declares}`,
    steps: /* sql */ `
      select status into status_before from attempt
      where account_no = :account_no and livemode = :livemode and id = :attempt_id for no key update;
      if status_before is distinct from 'processing' then return; end if;
      ${more.changes}
      ${recordedEvent.steps}
      if :idempotency_key is not null then
        ${storedOutcome};
      end if;
      ${more.shared ?? ""}
      -- Last, because its trigger writes the ledger's entry, which others write after they've locked the charge.
      update attempt set status = :attempt_status, decline_code = :decline_code, acquirer_id = :acquirer_id,
        authorization_code = :authorization_code, avs_result = :avs_result, cvc_result = :cvc_result,
        network_transaction_id = :network_transaction_id, refusal_code = :refusal_code,
        refusal_reason = :refusal_reason, finished_at = :now, claimed_until = null
      where account_no = :account_no and livemode = :livemode and id = :attempt_id;
      return query select delivered;`,
  });
}

/**
 * @param values for what is particular to the object
 * @returns the response to the request that created the attempt, or null if another process settled the attempt first
 */
export async function settleWith(
  settle: Settlement,
  context: Pick<PlatformContext, "db" | "keys" | "now">,
  attempt: Row<"attempt">,
  { reply, happening, response }: Outcome,
  values: Readonly<Record<string, unknown>>,
): Promise<StoredResponse | null> {
  const { status: attempt_status, ...columns } = replyColumns(reply);
  const [settled] = await settle(context.db, {
    ...outcomeValues(context, attempt, response),
    ...eventValues(tenantOf(attempt), happening, causeOf(attempt), context.now()),
    attempt_status,
    ...columns,
    ...values,
  });
  if (settled === undefined) return null;
  announceEvent(context.db, settled.deliveries);
  return response;
}
