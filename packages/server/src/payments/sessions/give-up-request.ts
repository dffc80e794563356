/** A payment request whose answer the page never got. */
import { beginRound } from "./session-state.ts";
import type { Db } from "../../platform/storage/database.ts";
import type { Row } from "../../platform/storage/tables.ts";

/**
 * The payment that came of a request; or null, and then none ever will. Both are decided under the lock of the session's row, which a payment takes to
 * begin: a request that still is under way, or arrives later, finds a round that is not its own.
 */
export async function giveUpUnlessReceived(db: Db, sessionId: string, requestId: string): Promise<Row<"decision"> | null> {
  return await db.transaction().execute(async (tx) => {
    await tx.selectFrom("checkout_session").select("id").where("id", "=", sessionId).forUpdate().execute();
    const decision = await tx
      .selectFrom("decision")
      .selectAll()
      .where("session_id", "=", sessionId)
      .where("request_id", "=", requestId)
      .executeTakeFirst();
    if (decision === undefined) await beginRound(tx, sessionId);
    return decision ?? null;
  });
}
