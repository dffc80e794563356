/** Records that a session expired without a payment. */
import type { Cause } from "../../platform/cause.ts";
import type { PlatformContext } from "../../platform/context.ts";
import type { Tx } from "../../platform/storage/database.ts";
import type { Row } from "../../platform/storage/tables.ts";
import { tenantOf } from "../../platform/tenant.ts";
import { recordEvent } from "../events/record-event.ts";
import { toCheckoutSession } from "./session-object.ts";

/** Runs in the transaction that ends `session`. Does nothing unless the session has expired. */
export async function recordIfExpired(
  context: Pick<PlatformContext, "now">,
  tx: Tx,
  session: Row<"checkout_session">,
  cause: Cause,
): Promise<void> {
  if (session.status !== "expired") return;
  const expired = { type: "checkout_session.expired", object: toCheckoutSession(session, context.now()) } as const;
  await recordEvent(context, tx, tenantOf(session), expired, cause);
}
