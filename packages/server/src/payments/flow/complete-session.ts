/** Completes a session whose total is 0 and that saves no card, because the customer has pressed the button. */
import { readAcquirer } from "../../merchants/accounts/accounts.ts";
import { requireLiveModeOn } from "../../merchants/accounts/live-mode.ts";
import { noCause } from "../../platform/cause.ts";
import type { PlatformContext } from "../../platform/context.ts";
import { ApiError } from "../../platform/errors.ts";
import type { Row } from "../../platform/storage/tables.ts";
import { tenantOf } from "../../platform/tenant.ts";
import { recordEvent } from "../events/record-event.ts";
import { findSession } from "../sessions/checkout-sessions.ts";
import { inProgress, sessionClosed, shownRefusal, type Shown } from "../sessions/page-refusals.ts";
import { toCheckoutSession } from "../sessions/session-object.ts";
import { completeWithoutCard, needsCard } from "../sessions/session-state.ts";

type Session = Row<"checkout_session">;

/**
 * Completes the session. Does nothing if it was completed like this before, because the page repeats a request that got
 * no response. The account needs no acquirer.
 *
 * @throws ApiError as a payment request in the same state, or `parameter_missing` if the session needs a card
 */
export async function completeSession(
  context: Pick<PlatformContext, "db" | "config" | "now">,
  session: Session,
  shown: Shown,
): Promise<void> {
  if (isCompletedWithoutCard(session)) return;
  const { db, now } = context;
  const tenant = tenantOf(session);
  requireLiveModeOn(context, tenant);
  if ((await readAcquirer(db, tenant)).status !== "active") throw sessionClosed();
  await db.transaction().execute(async (tx) => {
    const completed = await completeWithoutCard(tx, session.id, shown, now());
    if (completed === undefined) {
      const current = await findSession(tx, tenant, session.id);
      if (isCompletedWithoutCard(current)) return;
      throw refusal(current, shown, now());
    }
    const object = toCheckoutSession(completed, now());
    await recordEvent(context, tx, tenant, { type: "checkout_session.completed", object }, noCause);
  });
}

function isCompletedWithoutCard({ status, payment_decision_id }: Session): boolean {
  return status === "complete" && payment_decision_id === null;
}

function refusal(session: Session, shown: Shown, now: Date): ApiError {
  if (session.status !== "open") return sessionClosed();
  const isClaimed = session.payment_decision_id !== null;
  return shownRefusal(session, shown, now) ?? (!isClaimed && needsCard(session) ? cardMissing() : inProgress());
}

function cardMissing(): ApiError {
  return new ApiError(
    "parameter_missing",
    "This checkout session can't be completed without a card, because its total isn't 0 or it saves the card.",
    { param: "card" },
  );
}
