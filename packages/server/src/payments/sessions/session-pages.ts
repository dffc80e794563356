/** What a session says of its pages: who may hold them, and the language and appearance of its checkout. */
import type { PlatformContext } from "../../platform/context.ts";
import type { Row } from "../../platform/storage/tables.ts";

type PageLook = Pick<Row<"checkout_session">, "allowed_origins" | "locale" | "appearance">;

/** Of a session that does not exist: a page that nobody may hold. */
export async function pageLookOf({ db }: Pick<PlatformContext, "db">, sessionId: string): Promise<PageLook> {
  const row = await db
    .selectFrom("checkout_session")
    .select(["allowed_origins", "locale", "appearance"])
    .where("id", "=", sessionId)
    .executeTakeFirst();
  return row ?? { allowed_origins: [], locale: null, appearance: null };
}

/** What a page's address or its form tells about whose it is. */
type PageOf = { paymentId: string } | { transactionId: string | null };

/** The origins that may hold another page of the session. None, for a session or a payment that does not exist. */
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
