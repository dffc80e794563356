/** Tells a person about a notification. */
import type { AttentionKind } from "@oriel/protocol/dashboard-acquirers";
import { raiseAttention } from "../attention/raise-attention.ts";
import type { Db } from "../../platform/storage/database.ts";
import { tenantOf } from "../../platform/tenant.ts";
import { isOurReference, type FoundAttempt } from "./find-attempts.ts";
import type { NotificationKey } from "./queue.ts";
import type { Contents } from "./stored.ts";

/**
 * Payments that weren't made with Oriel can be in the same account at the acquirer. To tell about each of their
 * notifications would hide the others, so a person is told once for each type of event.
 */
export async function tellAbout(
  db: Db,
  key: NotificationKey,
  kind: AttentionKind,
  notification: Contents,
  attempt: FoundAttempt | null,
  now: Date,
): Promise<void> {
  const { event, name, unsigned } = notification;
  const owner = tenantOf(key);
  const isOurs = event.type !== "unknown" && isOurReference(event.reference, owner);
  const subject = isOurs ? `${key.acquirer_account_id} ${key.id}` : `${key.acquirer_account_id} ${name}`;
  const details = {
    acquirer_account: key.acquirer_account_id,
    acquirer_event: name,
    ...(event.type === "unknown"
      ? {}
      : {
          acquirer_id: event.acquirerId,
          reference: event.reference,
          amount: event.money?.amount ?? null,
          currency: event.money?.currency ?? null,
        }),
    reason: unsigned.reason ?? unsigned.dispute?.reasonCode ?? null,
  };
  const about = { chargeId: attempt?.charge_id ?? null, attemptId: attempt?.id ?? null };
  await raiseAttention(db, owner, { kind, subject, ...about, details }, now);
}
