/**
 * A session of mode `setup` saves a card: the bank is asked whether it is good, with an authorization of zero. There is
 * no charge and no money; the decision is used up all the same.
 */
import { insertAttempt } from "../attempts/attempt-state.ts";
import { noCause } from "../../platform/cause.ts";
import type { PlatformContext } from "../../platform/context.ts";
import { consumeForVerification } from "../decisions/decision-state.ts";
import { newId } from "../../platform/ids.ts";
import type { Tx } from "../../platform/storage/database.ts";
import type { Row } from "../../platform/storage/tables.ts";
import { tenantOf } from "../../platform/tenant.ts";

/** approved -> consumed. Returns the attempt to run. */
export async function beginVerification(
  context: Pick<PlatformContext, "now">,
  tx: Tx,
  decision: Row<"decision">,
): Promise<string> {
  await consumeForVerification(tx, decision.id);
  const id = newId("att", context.now());
  await insertAttempt(
    context,
    tx,
    tenantOf(decision),
    { id, kind: "verify", decision_id: decision.id, amount: 0 },
    noCause,
  );
  return id;
}
