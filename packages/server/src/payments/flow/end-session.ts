/** A merchant ends a checkout session before its time. */
import type { CheckoutSession } from "@oriel/protocol/api";
import type { Cause } from "../../platform/cause.ts";
import type { PlatformContext } from "../../platform/context.ts";
import { expireDecisions } from "../decisions/decision-state.ts";
import { ApiError } from "../../platform/errors.ts";
import type { Tx } from "../../platform/storage/database.ts";
import type { Tenant } from "../../platform/tenant.ts";
import { findSession } from "../sessions/checkout-sessions.ts";
import { recordIfExpired } from "../sessions/record-expired.ts";
import { toCheckoutSession } from "../sessions/session-object.ts";
import { end } from "../sessions/session-state.ts";

/**
 * Ends an open session that nobody is paying: `expired` is told by an event as if its time were over, `canceled` is
 * not.
 *
 * @throws ApiError `session_payment_in_progress` while a payment is in flight, `session_closed` when it is over already
 */
export async function endCheckoutSession(
  context: Pick<PlatformContext, "jobs" | "now">,
  tx: Tx,
  tenant: Tenant,
  id: string,
  status: "expired" | "canceled",
  cause: Cause,
): Promise<CheckoutSession> {
  await findSession(tx, tenant, id);
  // A decision that nobody used in time is no payment in flight, although nobody has swept it yet.
  await expireDecisions(tx, { sessionId: id }, context.now());
  const ended = await end(tx, id, status);
  if (ended === undefined) throw whyNotEnded(toCheckoutSession(await findSession(tx, tenant, id), context.now()));
  await recordIfExpired(context, tx, ended, cause);
  return toCheckoutSession(ended, context.now());
}

function whyNotEnded({ id, status }: CheckoutSession): ApiError {
  return status === "open"
    ? new ApiError(
        "session_payment_in_progress",
        `A payment of the checkout session ${id} is under way. Wait for its outcome.`,
      )
    : new ApiError("session_closed", `The checkout session ${id} is ${status} already.`);
}
