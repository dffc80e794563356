/** Adds a notification to "Needs attention". */
import type { AttentionKind } from "@oriel/protocol/api";
import type { EmailContext } from "../../merchants/emails/outbox.ts";
import type { Tx } from "../../platform/storage/database.ts";
import { tenantOf } from "../../platform/tenant.ts";
import { raiseAgain, raiseAttention } from "../attention/raise-attention.ts";
import { isOurReference, type FoundAttempt } from "./find-attempts.ts";
import type { NotificationKey } from "./queue.ts";
import type { Contents } from "./stored.ts";

/**
 * Payments that weren't made with Oriel can be in the same account at the acquirer. An item for each of their
 * notifications would hide the others, so there is one for the first of each type of event, and for the next one once
 * that is resolved. The same goes for those that we can't use.
 */
export async function raiseAboutNotification(
  context: EmailContext,
  tx: Tx,
  key: NotificationKey,
  kind: AttentionKind,
  notification: Contents,
  attempt: FoundAttempt | null,
): Promise<void> {
  const { event, name, unsigned, isReportedAgain = false } = notification;
  const owner = tenantOf(key);
  // Whoever has one that we can use can make variants of it that we can't, with the same signature. Only they lack
  // `money`.
  const isUsable = event.money !== undefined;
  const isOurs = isUsable && isOurReference(event.reference ?? null, owner);
  const id = isReportedAgain ? key.id.slice(0, key.id.lastIndexOf(":")) : key.id; // of the first one
  const subject = `${key.acquirer_account_id} ${isOurs ? id : name}`;
  const details = {
    acquirer_account: key.acquirer_account_id,
    acquirer_event: name,
    acquirer_id: event.acquirerId ?? null,
    reference: event.reference ?? null,
    amount: event.money?.amount ?? null,
    currency: event.money?.currency ?? null,
    reason: unsigned.reason ?? unsigned.dispute?.reasonCode ?? null,
  };
  const about = { chargeId: attempt?.charge_id ?? null, attemptId: attempt?.id ?? null };
  const raise = isOurs && !isReportedAgain ? raiseAttention : raiseAgain;
  await raise(context, tx, owner, { kind, subject, ...about, details });
}
