/**
 * What the customer changes in an open checkout session, in the form. A request names the version that the form shows,
 * like a payment. If the session has another one by now, nothing is changed.
 */
import type { FramePromotionCode, FrameShippingChoice } from "@oriel/protocol/frame";
import { readAcquirer } from "../../merchants/accounts/accounts.ts";
import { amountCheckOf } from "../../merchants/accounts/live-mode.ts";
import { noCause } from "../../platform/cause.ts";
import type { PlatformContext } from "../../platform/context.ts";
import { ApiError } from "../../platform/errors.ts";
import type { Tx } from "../../platform/storage/database.ts";
import { hasId } from "../../platform/storage/owned-by.ts";
import type { Row } from "../../platform/storage/tables.ts";
import { tenantOf } from "../../platform/tenant.ts";
import { recordEvent } from "../events/record-event.ts";
import { requireCurrentSecret } from "../sessions/frame-token.ts";
import { sessionChanged } from "../sessions/page-refusals.ts";
import { columnsAfterEntry, readPromotionCode } from "../sessions/promotion-codes.ts";
import { toCheckoutSession } from "../sessions/session-object.ts";
import { nextVersion, storeVersion } from "../sessions/session-versions.ts";
import { lockOpenSession, moneyAfter, moneyOf } from "./update-session.ts";

/** How often the customer can choose a shipping option. The merchant's changes are limited separately. */
const maxChoices = 50;

type Session = Row<"checkout_session">;
type ChangeContext = Pick<PlatformContext, "db" | "keys" | "now">;

/** An opened page. */
export interface OpenedPage {
  /** The session that its token is for. */
  session: Session;
  token: string;
}

/**
 * Chooses one of the session's shipping options, which makes the next version. Choosing the current option changes
 * nothing.
 *
 * @throws ApiError `session_changed`, `session_payment_in_progress`, `session_closed`, `frame_token_invalid`,
 * `shipping_choices_used_up`, or `parameter_invalid` or `amount_invalid` if the option can't be chosen
 */
export async function chooseShippingOption(
  context: ChangeContext & Pick<PlatformContext, "vault" | "acquirerAccounts" | "config">,
  page: OpenedPage,
  { shipping_option, version }: FrameShippingChoice,
): Promise<void> {
  const { db, now } = context;
  const tenant = tenantOf(page.session);
  const checkAmount = await amountCheckOf(context, tenant, (await readAcquirer(db, tenant)).acquirerAccountId);
  await db.transaction().execute(async (tx) => {
    const session = await lockForCustomer(context, tx, page, version);
    if (session.shipping_option === shipping_option) return;
    if (!session.shipping_options.some(({ id }) => id === shipping_option)) throw optionUnknown();
    if (session.shipping_choices >= maxChoices) throw choicesUsedUp();
    const before = moneyOf(session);
    const money = moneyAfter(before, session, { shipping_option }, checkAmount);
    await storeVersion(tx, session, before, now());
    await tx
      .updateTable("checkout_session")
      .set({ ...nextVersion(session, money), shipping_choices: session.shipping_choices + 1 })
      .where(hasId(session.id))
      .execute();
  });
}

/**
 * Stores a promotion code that the customer has entered, and tells the merchant's server, which may change the session.
 * Entering a code that is still pending has no further effect.
 *
 * @returns the number of the entry, which the reply is for
 * @throws ApiError `session_changed`, `session_payment_in_progress`, `session_closed`, `frame_token_invalid`,
 * `promotion_codes_used_up`, or `parameter_invalid` if it can't be a code or the session collects none
 */
export async function enterPromotionCode(
  context: ChangeContext,
  page: OpenedPage,
  { promotion_code, version }: FramePromotionCode,
): Promise<number> {
  const code = readPromotionCode(promotion_code);
  const { db, now } = context;
  return await db.transaction().execute(async (tx) => {
    const session = await lockForCustomer(context, tx, page, version);
    const columns = columnsAfterEntry(session, code, now());
    if (columns === null) return session.promotion_code_entries;
    const entered = await tx
      .updateTable("checkout_session")
      .set(columns)
      .where(hasId(session.id))
      .returningAll()
      .executeTakeFirstOrThrow();
    const object = toCheckoutSession(entered, now());
    const happening = { type: "checkout_session.update_requested", object } as const;
    await recordEvent(context, tx, tenantOf(session), happening, noCause);
    return entered.promotion_code_entries;
  });
}

/** Locks the session if the customer may change what the page shows. */
async function lockForCustomer(context: ChangeContext, tx: Tx, page: OpenedPage, version: number): Promise<Session> {
  const session = await lockOpenSession(tx, tenantOf(page.session), page.session.id, context.now());
  // The URL may have been replaced since the request arrived.
  requireCurrentSecret(context, page.token, session);
  if (session.version !== version) throw sessionChanged();
  return session;
}

function choicesUsedUp(): ApiError {
  return new ApiError(
    "shipping_choices_used_up",
    `The customer has chosen a shipping option ${maxChoices} times. No other one can be chosen in this checkout session.`,
    { param: "shipping_option" },
  );
}

function optionUnknown(): ApiError {
  return new ApiError("parameter_invalid", "This checkout session has no such shipping option.", {
    param: "shipping_option",
  });
}
