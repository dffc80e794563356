/** A session's settings for its pages: which origins may embed them, and the checkout's language and appearance. */
import type { PlatformContext } from "../../platform/context.ts";
import { hasId, ownedBy, sameOwner } from "../../platform/storage/owned-by.ts";
import type { Row } from "../../platform/storage/tables.ts";
import type { Tenant } from "../../platform/tenant.ts";
import { hasTransactionId } from "../threeds/transaction-id.ts";

type PageSettings = Pick<Row<"checkout_session">, "allowed_origins" | "locale" | "appearance">;

/** For an unknown session, the settings of a page that no origin may embed. */
export async function pageSettingsOf({ db }: Pick<PlatformContext, "db">, sessionId: string): Promise<PageSettings> {
  const row = await db
    .selectFrom("checkout_session")
    .select(["allowed_origins", "locale", "appearance"])
    .where(hasId(sessionId))
    .executeTakeFirst();
  return row ?? { allowed_origins: [], locale: null, appearance: null };
}

/** The identifier in a page's URL or form data, used to find its session. */
type PageOf = { paymentId: string } | { owner: Tenant; transactionId: string };

/** The origins that may embed another page of the session; none for an unknown session or payment. */
export async function frameAncestorsOf({ db }: Pick<PlatformContext, "db">, page: PageOf): Promise<string[]> {
  const payments = db
    .selectFrom("decision")
    .innerJoin("checkout_session as session", (join) =>
      join.onRef("session.id", "=", "decision.session_id").on(sameOwner("session", "decision")),
    )
    .select("session.allowed_origins");
  const session = await (
    "paymentId" in page
      ? payments.where(hasId(page.paymentId, "decision.id"))
      : payments
          .where(ownedBy(page.owner, "decision"))
          .where("decision.id", "=", ({ selectFrom }) =>
            selectFrom("authentication").select("decision_id").where(hasTransactionId(page.owner, page.transactionId)),
          )
  ).executeTakeFirst();
  return session?.allowed_origins ?? [];
}
