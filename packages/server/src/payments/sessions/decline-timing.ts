/**
 * When the checkout page learns that a stranger's card was declined. Issuers answer some refusals faster than others, so
 * the time would tell someone who tries stolen numbers why a card was declined. So every decline is shown a whole number
 * of steps after the acquirer was asked, or after the decline if it wasn't asked. The merchant's server learns it at
 * once, with the reason.
 */
import { setTimeout as pause } from "node:timers/promises";
import type { PaymentContext } from "../context.ts";
import type { Db } from "../../platform/storage/database.ts";
import { hasId } from "../../platform/storage/owned-by.ts";
import type { Row } from "../../platform/storage/tables.ts";

/** Longer than most acquirers take to answer. */
export const defaultDeclineStepMs = 3_000;

export type DeclineContext = Pick<PaymentContext, "db" | "now" | "declineStepMs">;

/** Waits until the payment's decline may be shown. Returns at once for other outcomes and for returning payers. */
export async function waitUntilShown(
  { db, now, declineStepMs }: DeclineContext,
  decision: Row<"decision">,
): Promise<void> {
  if (decision.payer !== "stranger") return;
  const shownAt = await findShownAt(db, decision, declineStepMs);
  const waitMs = shownAt === null ? 0 : shownAt - now().getTime();
  if (waitMs > 0) await pause(waitMs);
}

async function findShownAt(
  db: Db,
  { id, status, declined_at }: Row<"decision">,
  stepMs: number,
): Promise<number | null> {
  if (status === "declined") return declined_at === null ? null : declined_at.getTime() + stepMs;
  if (status !== "consumed") return null;
  const attempt = await db
    .selectFrom("attempt")
    .select(["status", "created_at", "finished_at"])
    .where(hasId(id, "decision_id"))
    .where("kind", "in", ["authorize", "verify"])
    .orderBy("is_step_up", "desc") // the second authorization, if there was one
    .limit(1)
    .executeTakeFirst();
  if (attempt?.status !== "declined" || attempt.finished_at === null) return null;
  const startedAt = attempt.created_at.getTime();
  return startedAt + stepMs * Math.max(1, Math.ceil((attempt.finished_at.getTime() - startedAt) / stepMs));
}
