/** Expires sessions, and records that they expired without a payment. */
import { noCause, type Cause } from "../../platform/cause.ts";
import type { PlatformContext } from "../../platform/context.ts";
import type { Tx } from "../../platform/storage/database.ts";
import { takeDue } from "../../platform/storage/per-owner.ts";
import type { Row } from "../../platform/storage/tables.ts";
import { tenantOf } from "../../platform/tenant.ts";
import { recordEvent } from "../events/record-event.ts";
import { toCheckoutSession } from "./session-object.ts";
import { expire, findExpired } from "./session-state.ts";

/** Expires sessions whose expiry time has passed, each only once. @returns the number of expired sessions */
export async function expireSessions(
  context: Pick<PlatformContext, "db" | "nodes" | "now" | "log">,
  limit: number,
): Promise<number> {
  const { db, now } = context;
  const expired = await takeDue(context, {
    step: "expire sessions",
    due: findExpired(db, now()),
    limit,
    take: (areTaken) =>
      db.transaction().execute(async (tx) => {
        const sessions = await expire(tx, areTaken);
        for (const session of sessions) await recordIfExpired(context, tx, session, noCause);
        return sessions;
      }),
  });
  return expired.flat().length;
}

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
