/**
 * Erases the cards of payment methods that weren't saved, together with the billing details and the IP address of the
 * consent, once their payment is over. If that fails, the error is logged and the sweeper tries again. Cards that stay
 * lose their CVC once an authorization is over.
 */
import { sql } from "kysely";
import type { PlatformContext } from "../../platform/context.ts";
import { stackOf } from "../../platform/stack-of.ts";
import type { Db } from "../../platform/storage/database.ts";
import type { IsReachable } from "../../platform/storage/nodes.ts";
import { hasId, sameOwner } from "../../platform/storage/owned-by.ts";

/** @returns false if the card couldn't be erased now */
export async function eraseCard(
  { db, vault, now, log }: Pick<PlatformContext, "db" | "vault" | "now" | "log">,
  paymentMethodId: string,
): Promise<boolean> {
  try {
    await vault.erase([paymentMethodId]);
    await db
      .updateTable("payment_method")
      .set({ card_erased_at: now(), billing_details: null, consent: withoutIp })
      .where(hasId(paymentMethodId))
      .execute();
    return true;
  } catch (error) {
    const details = { payment_method: paymentMethodId, error: stackOf(error) };
    log.error(details, "The card couldn't be erased after its payment; the sweeper will try again");
    return false;
  }
}

const withoutIp = sql<string>`consent || '{"ip":null}'::jsonb`;

/** Erases the CVC of a card that stays. If that fails, the error is logged, and the CVC expires within minutes. */
export async function eraseCvc(
  { vault, log }: Pick<PlatformContext, "vault" | "log">,
  paymentMethodId: string,
): Promise<void> {
  try {
    await vault.eraseCvc(paymentMethodId);
  } catch (error) {
    const details = { payment_method: paymentMethodId, error: stackOf(error) };
    log.error(details, "The CVC couldn't be erased after its authorization; the sweeper will erase it");
  }
}

/** Payment methods that aren't saved and have no payment in progress. */
export async function findErasableCards(
  { db, nodes }: Pick<PlatformContext, "db" | "nodes">,
  limit: number,
): Promise<string[]> {
  const erasable = await nodes.ofAllAccounts(
    async (isReachable) => await selectErasable(db, isReachable).limit(limit).execute(),
  );
  return erasable.map(({ id }) => id);
}

function selectErasable(db: Db, isReachable: IsReachable) {
  return db
    .selectFrom("payment_method")
    .select("payment_method.id")
    .where("payment_method.card_erased_at", "is", null)
    .where("payment_method.reusable", "=", false)
    .where(isReachable("payment_method"))
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom("decision")
            .leftJoin("attempt", (join) =>
              join
                .onRef("attempt.decision_id", "=", "decision.id")
                .on(sameOwner("attempt", "decision"))
                .on(isReachable("attempt"))
                .on("attempt.kind", "in", ["authorize", "verify"]),
            )
            .leftJoin("authentication", (join) =>
              join
                .onRef("authentication.decision_id", "=", "decision.id")
                .on(sameOwner("authentication", "decision"))
                .on(isReachable("authentication")),
            )
            .select("decision.id")
            .where(sameOwner("decision", "payment_method"))
            .where(isReachable("decision"))
            .whereRef("decision.payment_method_id", "=", "payment_method.id")
            .where(({ eb, or }) =>
              or([
                eb("decision.status", "in", ["requires_action", "approved"]),
                eb("attempt.status", "=", "processing"),
                eb("authentication.status", "!=", "complete"), // A step-up between two attempts.
              ]),
            ),
        ),
      ),
    );
}
