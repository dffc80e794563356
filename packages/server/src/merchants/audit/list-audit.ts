/** Lists the audit log, newest first. */
import type { List } from "@oriel/protocol/api";
import type { Db } from "../../platform/storage/database.ts";
import { listPage, type PageRequest } from "../../platform/storage/list-page.ts";
import type { Row } from "../../platform/storage/tables.ts";

export type AuditRow = Omit<Row<"audit_log">, "previous_hash" | "hash">;

/**
 * @param accountId lists one account's entries, in both modes; null lists all entries, including those without an
 * account
 */
export async function listAudit(db: Db, accountId: string | null, page: PageRequest): Promise<List<AuditRow>> {
  const rows = db
    .selectFrom("audit_log")
    .select(["id", "account_id", "actor", "action", "object_id", "outcome", "details", "created_at", "sequence"]);
  const wanted = accountId === null ? rows : rows.where("account_id", "=", accountId);
  return await listPage(page, "audit_log", wanted, (row) => row);
}
