/** A user resolves something that needed attention, and may end its payment, capture, cancellation or refund as failed. */
import type { AttentionItem } from "@oriel/protocol/dashboard/acquirers";
import { ApiError, missingInPath } from "../../platform/errors.ts";
import type { Tx } from "../../platform/storage/database.ts";
import { hasId, ownedBy } from "../../platform/storage/owned-by.ts";
import type { Row } from "../../platform/storage/tables.ts";
import type { Tenant } from "../../platform/tenant.ts";
import { readSubject } from "../attempts/subject.ts";
import { readAttention } from "../attention/attention.ts";
import type { PaymentContext } from "../context.ts";
import { markFailed } from "./mark-failed.ts";
import { retainsRest } from "./release-rest.ts";

/**
 * Whether the acquirer of an item's attempt keeps reserved what a capture left. Call this before the transaction,
 * because PGlite has only one connection.
 */
export async function itemRetainsRest(context: PaymentContext, tenant: Tenant, id: string): Promise<boolean> {
  const item = context.db.selectFrom("attention").select("attempt_id").where(ownedBy(tenant)).where("id", "=", id);
  const attempts = context.db.selectFrom("attempt").selectAll();
  const attempt = await attempts.where(hasId((await item.executeTakeFirst())?.attempt_id ?? null)).executeTakeFirst();
  return attempt !== undefined && (await retainsRest(context, attempt, await readSubject(context, attempt)));
}

/**
 * Resolves an open item. Resolving it again changes nothing, and is refused if it should end an attempt that hasn't
 * failed.
 *
 * @param options.loginId the user who resolves it
 * @param options.retainsRest {@link itemRetainsRest}
 * @param options.markFailed whether to end the attempt as failed. Only if its outcome is missing.
 * @returns the item, and whether it was open until now
 * @throws ApiError 404 `resource_missing`, and `parameter_invalid` if the attempt can't be marked as failed
 */
export async function resolveAttention(
  context: PaymentContext,
  tx: Tx,
  tenant: Tenant,
  id: string,
  {
    loginId,
    markFailed: endsAttempt,
    retainsRest: rest,
  }: { loginId: string; markFailed: boolean; retainsRest: boolean },
): Promise<{ item: AttentionItem; isNew: boolean }> {
  const item = tx.selectFrom("attention").selectAll().where(ownedBy(tenant)).where("id", "=", id);
  const found = await item.forUpdate().executeTakeFirst();
  if (found === undefined) throw missingInPath("attention item", id);
  const isNew = found.resolved_at === null;
  if (isNew) {
    const resolved = { resolved_at: context.now(), resolved_by: loginId };
    await tx.updateTable("attention").set(resolved).where(ownedBy(tenant)).where("id", "=", id).execute();
    // After that, because the end of an attempt resolves its item too, but not in the user's name.
    if (endsAttempt) await endAttempt(context, tx, found, rest);
  } else if (endsAttempt && !(await hasFailed(tx, found))) throw cannotEnd();
  return { item: await readAttention(tx, tenant, id), isNew };
}

async function endAttempt(
  context: PaymentContext,
  tx: Tx,
  { kind, attempt_id }: Row<"attention">,
  rest: boolean,
): Promise<void> {
  const isMissing = kind === "outcome_unknown" || kind === "operation_overdue";
  if (isMissing && attempt_id !== null && (await markFailed(context, tx, attempt_id, { retainsRest: rest }))) return;
  throw cannotEnd();
}

/** The response to an earlier request may have been lost. */
async function hasFailed(tx: Tx, { attempt_id }: Row<"attention">): Promise<boolean> {
  const attempt = tx.selectFrom("attempt").select("status").where(hasId(attempt_id));
  return (await attempt.executeTakeFirst())?.status === "declined";
}

function cannotEnd(): ApiError {
  return new ApiError(
    "parameter_invalid",
    "This can't be marked as failed. Either its outcome is known, or it was resolved, or we're sending it to the acquirer right now. Refresh the page, and try again in a minute.",
    { param: "mark_failed" },
  );
}
