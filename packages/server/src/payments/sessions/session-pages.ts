/** A session's settings for its pages: which origins may embed them, and the checkout's language, appearance and shape. */
import type { PlatformContext } from "../../platform/context.ts";
import { hasId, ownedBy, sameOwner } from "../../platform/storage/owned-by.ts";
import type { Row } from "../../platform/storage/tables.ts";
import type { Tenant } from "../../platform/tenant.ts";
import { hasTransactionId } from "../threeds/transaction-id.ts";
import { needsCard } from "./session-state.ts";

type PageSettings = Pick<Row<"checkout_session">, "allowed_origins" | "locale" | "appearance"> & { shape: FormShape };

/** What the form consists of. */
export interface FormShape {
  needsCard: boolean;
  /** Whether the customer can choose among shipping options and enter a promotion code: none, one or both. */
  choices: 0 | 1 | 2;
}

/** For an unknown session, the settings of a page that no origin may embed. */
export async function pageSettingsOf({ db }: Pick<PlatformContext, "db">, sessionId: string): Promise<PageSettings> {
  const row = await db
    .selectFrom("checkout_session")
    .select(["allowed_origins", "locale", "appearance", "status", "mode", "amount", "save_payment_method"])
    .select(["shipping_options", "collects_promotion_code"])
    .where(hasId(sessionId))
    .executeTakeFirst();
  if (row === undefined)
    return { allowed_origins: [], locale: null, appearance: null, shape: { needsCard: true, choices: 0 } };
  const { allowed_origins, locale, appearance, status, shipping_options, collects_promotion_code } = row;
  const choices = [shipping_options.length > 1, collects_promotion_code].filter(Boolean).length as FormShape["choices"]; // at most two
  const shape = { needsCard: needsCard(row), choices: status === "open" ? choices : 0 };
  return { allowed_origins, locale, appearance, shape };
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
