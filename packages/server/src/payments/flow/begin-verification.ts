/**
 * A session in `setup` mode saves a card, and so does one with a total of 0 and `save_payment_method`. The issuer verifies
 * the card through a zero-amount authorization. There is no charge, but the decision is still consumed.
 */
import { noCause } from "../../platform/cause.ts";
import type { PlatformContext } from "../../platform/context.ts";
import { newId } from "../../platform/ids.ts";
import type { Tx } from "../../platform/storage/database.ts";
import type { Row } from "../../platform/storage/tables.ts";
import { tenantOf } from "../../platform/tenant.ts";
import { insertAttempt } from "../attempts/attempt-state.ts";
import { consumeForVerification } from "../decisions/decision-state.ts";

/** approved -> consumed. @returns the attempt to run */
export async function beginVerification(
  context: Pick<PlatformContext, "now">,
  tx: Tx,
  decision: Row<"decision">,
): Promise<string> {
  await consumeForVerification(tx, decision.id);
  const id = newId("att", context.now(), tenantOf(decision));
  await insertAttempt(
    context,
    tx,
    tenantOf(decision),
    { id, kind: "verify", decision_id: decision.id, amount: 0 },
    noCause,
  );
  return id;
}
