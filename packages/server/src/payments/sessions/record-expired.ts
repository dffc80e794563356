/** Tells the merchant that a session is over without having been paid. */
import type { Cause } from "../../platform/cause.ts";
import type { PlatformContext } from "../../platform/context.ts";
import type { Tx } from "../../platform/storage/database.ts";
import type { Row } from "../../platform/storage/tables.ts";
import { tenantOf } from "../../platform/tenant.ts";
import { recordEvent } from "../events/record-event.ts";
import { toCheckoutSession } from "./session-object.ts";

/** Part of the transaction that ends `session`; does nothing for one that goes on. */
export async function recordIfExpired(
  context: Pick<PlatformContext, "jobs" | "now">,
  tx: Tx,
  session: Row<"checkout_session">,
  cause: Cause,
): Promise<void> {
  if (session.status !== "expired") return;
  const expired = { type: "checkout_session.expired", object: toCheckoutSession(session, context.now()) } as const;
  await recordEvent(context, tx, tenantOf(session), expired, cause);
}
