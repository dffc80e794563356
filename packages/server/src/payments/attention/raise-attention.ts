/**
 * Lists something that a person has to check, once for each kind and subject, or again after it was resolved. The
 * merchant's server gets an event, and the account's owners get an email, at most one in half an hour.
 */
import { sql } from "kysely";
import type { AttentionKind } from "@oriel/protocol/api";
import type { EmailContent } from "../../merchants/emails/mailer.ts";
import type { EmailContext } from "../../merchants/emails/outbox.ts";
import { emailOwnersCollected } from "../../merchants/members/email-owners.ts";
import { noCause } from "../../platform/cause.ts";
import { newId } from "../../platform/ids.ts";
import type { Tx } from "../../platform/storage/database.ts";
import { ownedBy } from "../../platform/storage/owned-by.ts";
import { modeOf, ownerColumns, type Tenant } from "../../platform/tenant.ts";
import { recordEvent } from "../events/record-event.ts";
import { toAttentionObject } from "./attention.ts";

export interface Concern {
  kind: AttentionKind;
  /** The ID of what it's about: an attempt, a charge or an acquirer's notification. */
  subject: string;
  chargeId: string | null;
  attemptId: string | null;
  /** What is known. Never card data. */
  details: Record<string, string | number | null>;
}

/** @returns false if it was raised before, even if it's resolved */
export async function raiseAttention(
  context: EmailContext,
  tx: Tx,
  tenant: Tenant,
  concern: Concern,
): Promise<boolean> {
  const { kind, subject, chargeId, attemptId, details } = concern;
  const now = context.now();
  const raised = await tx
    .insertInto("attention")
    .values({
      ...ownerColumns(tenant),
      id: newId("na", now, tenant),
      kind,
      subject,
      charge_id: chargeId,
      attempt_id: attemptId,
      details: JSON.stringify(details),
      created_at: now,
    })
    .onConflict((conflict) => conflict.columns(["account_no", "livemode", "kind", "subject"]).doNothing())
    .returning(["id", "livemode", "kind", "charge_id", "details", "created_at"])
    .executeTakeFirst();
  if (raised === undefined) return false;
  const object = toAttentionObject(raised);
  await recordEvent(context, tx, tenant, { type: "account.needs_attention", object }, noCause);
  await emailOwnersCollected(context, tx, tenant.accountNo, `attention ${modeOf(tenant)}`, (accountName) =>
    attentionEmail(context.config.dashboardOrigin, accountName, tenant),
  );
  return true;
}

/** Doesn't say what it's about, because it's sent half an hour later, when there can be more items or none. */
function attentionEmail(dashboardOrigin: string, accountName: string, tenant: Tenant): EmailContent {
  return {
    subject: "Something needs your attention",
    text: `Oriel couldn't resolve something with the acquirer by itself, for the account ${accountName} in ${modeOf(tenant)} mode. The page "Needs attention" says what happened and what to do. Some items are urgent, for example if a customer may have paid for nothing.\n\n${dashboardOrigin}\n\nOne email can be about several items. You get at most one in half an hour.`,
  };
}

/**
 * The same for something that can happen again: only an open item counts. A resolved one stays in the list.
 *
 * @returns false if there's an open item
 */
export async function raiseAgain(context: EmailContext, tx: Tx, tenant: Tenant, concern: Concern): Promise<boolean> {
  await tx
    .updateTable("attention")
    .set({ subject: sql<string>`subject || ' ' || id` })
    .where(ownedBy(tenant))
    .where("kind", "=", concern.kind)
    .where("subject", "=", concern.subject)
    .where("resolved_at", "is not", null)
    .execute();
  return await raiseAttention(context, tx, tenant, concern);
}
