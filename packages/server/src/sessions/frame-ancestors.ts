/** Which origins may hold a page of ours: those of the session that it belongs to. Nobody, for a session or a payment that does not exist. */
import type { Context } from "../context.ts";

/** What a page's address or its form tells about whose it is. */
export type PageOf = { sessionId: string } | { paymentId: string } | { transactionId: string | null };

export async function frameAncestorsOf({ db }: Pick<Context, "db">, page: PageOf): Promise<string[]> {
  let sessions = db.selectFrom("checkout_session").select("checkout_session.allowed_origins");
  if ("sessionId" in page) {
    sessions = sessions.where("checkout_session.id", "=", page.sessionId);
  } else {
    const decisions = db.selectFrom("decision").select("decision.session_id");
    const decision =
      "paymentId" in page
        ? decisions.where("decision.id", "=", page.paymentId)
        : decisions
            .innerJoin("authentication", "authentication.decision_id", "decision.id")
            .where("authentication.id", "=", page.transactionId ?? "");
    sessions = sessions.where("checkout_session.id", "in", decision);
  }
  return (await sessions.executeTakeFirst())?.allowed_origins ?? [];
}
