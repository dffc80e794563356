/** Which origins may hold a page of ours: those of the session that it belongs to. Nobody, for a session or a payment that does not exist. */
import type { PlatformContext } from "../../platform/context.ts";

/** What a page's address or its form tells about whose it is. */
export type PageOf = { paymentId: string } | { transactionId: string | null };

export async function frameAncestorsOf({ db }: Pick<PlatformContext, "db">, page: PageOf): Promise<string[]> {
  const decisions = db.selectFrom("decision").select("decision.session_id");
  const decision =
    "paymentId" in page
      ? decisions.where("decision.id", "=", page.paymentId)
      : decisions
          .innerJoin("authentication", "authentication.decision_id", "decision.id")
          .where("authentication.id", "=", page.transactionId ?? "");
  const session = await db
    .selectFrom("checkout_session")
    .select("checkout_session.allowed_origins")
    .where("checkout_session.id", "in", decision)
    .executeTakeFirst();
  return session?.allowed_origins ?? [];
}
