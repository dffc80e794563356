/** What follows when a try to pay has failed, at the bank or before it: the session is free again or used up, and the merchant is told. */
import type { Context } from "../context.ts";
import { toCheckoutSession } from "../sessions/checkout-sessions.ts";
import { releaseAfterFailure } from "../sessions/session-state.ts";
import type { Tx } from "../storage/database.ts";
import type { Row } from "../storage/tables.ts";
import { recordEvent } from "../webhooks/events.ts";
import { toChargeWithSession } from "./charge-object.ts";

/** Part of the transaction that makes `charge` failed. */
export async function failTry(context: Pick<Context, "jobs" | "now">, tx: Tx, charge: Row<"charge">): Promise<void> {
  const tenant = { accountId: charge.account_id, livemode: charge.livemode };
  const origin = { requestId: charge.request_id, idempotencyKey: charge.idempotency_key };
  const session = charge.session_id === null ? null : await releaseAfterFailure(tx, charge.session_id, charge.decision_id);
  await recordEvent(context, tx, tenant, { type: "payment_failed", object: toChargeWithSession(charge, session) }, origin);
  if (session?.status === "expired") {
    await recordEvent(
      context,
      tx,
      tenant,
      { type: "checkout_session.expired", object: toCheckoutSession(session, context.now()) },
      origin,
    );
  }
}
