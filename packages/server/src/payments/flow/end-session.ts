/** Expires or cancels a checkout session at the merchant's request. */
import type { CheckoutSession } from "@oriel/protocol/api";
import type { Cause } from "../../platform/cause.ts";
import type { PlatformContext } from "../../platform/context.ts";
import type { Tx } from "../../platform/storage/database.ts";
import type { Tenant } from "../../platform/tenant.ts";
import { expireDecisionOf } from "../decisions/decision-state.ts";
import { findSession } from "../sessions/checkout-sessions.ts";
import { recordIfExpired } from "../sessions/record-expired.ts";
import { endRefusal, toCheckoutSession } from "../sessions/session-object.ts";
import { end } from "../sessions/session-state.ts";

/**
 * Ends an open session that has no payment in progress. Expiring it sends the usual `checkout_session.expired` event;
 * canceling it sends none.
 *
 * @throws ApiError `session_payment_in_progress` while a payment is in progress, `session_closed` if the session has
 * ended
 */
export async function endCheckoutSession(
  context: Pick<PlatformContext, "now">,
  tx: Tx,
  tenant: Tenant,
  id: string,
  status: "expired" | "canceled",
  cause: Cause,
): Promise<CheckoutSession> {
  await findSession(tx, tenant, id);
  // An expired decision is not a payment in progress, even if the sweeper hasn't processed it yet.
  await expireDecisionOf(tx, id, context.now());
  const ended = await end(tx, id, status);
  if (ended === undefined) throw endRefusal(toCheckoutSession(await findSession(tx, tenant, id), context.now()));
  await recordIfExpired(context, tx, ended, cause);
  return toCheckoutSession(ended, context.now());
}
