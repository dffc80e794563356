/** A session's settings for its pages: which origins may embed them, and the checkout's language and appearance. */
import type { PlatformContext } from "../../platform/context.ts";
import type { Row } from "../../platform/storage/tables.ts";

type PageSettings = Pick<Row<"checkout_session">, "allowed_origins" | "locale" | "appearance">;

/** For an unknown session, the settings of a page that no origin may embed. */
export async function pageSettingsOf({ db }: Pick<PlatformContext, "db">, sessionId: string): Promise<PageSettings> {
  const row = await db
    .selectFrom("checkout_session")
    .select(["allowed_origins", "locale", "appearance"])
    .where("id", "=", sessionId)
    .executeTakeFirst();
  return row ?? { allowed_origins: [], locale: null, appearance: null };
}

/** The identifier in a page's URL or form data, used to find its session. */
type PageOf = { paymentId: string } | { transactionId: string | null };

/** The origins that may embed another page of the session; none for an unknown session or payment. */
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
