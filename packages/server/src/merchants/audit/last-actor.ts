/** Finds out who made the last change, to tell a colleague whose own change is refused because of it. */
import { sql } from "kysely";
import type { Db } from "../../platform/storage/database.ts";
import type { AuditAction } from "./audit-log.ts";

export interface Change {
  actions: readonly AuditAction[];
  objectId?: string;
  /** Only entries with this key in their details. */
  detail?: string;
}

/** @returns the actor as in the audit log; undefined if none of the account's entries is about such a change */
export async function lastActor(
  db: Db,
  accountNo: number,
  { actions, objectId, detail }: Change,
): Promise<string | undefined> {
  let entries = db
    .selectFrom("audit_log")
    .select("actor")
    .where("account_id", "=", (eb) => eb.selectFrom("account").select("id").where("account_no", "=", accountNo))
    .where("action", "in", actions)
    .where("outcome", "=", "done");
  if (objectId !== undefined) entries = entries.where("object_id", "=", objectId);
  if (detail !== undefined) entries = entries.where(sql<boolean>`jsonb_exists(details, ${detail})`);
  return (await entries.orderBy("id", "desc").limit(1).executeTakeFirst())?.actor;
}
