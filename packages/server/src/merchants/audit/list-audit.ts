/** The audit log as people read it: newest first. */
import type { List } from "@oriel/protocol/api";
import type { Db } from "../../platform/storage/database.ts";
import { listPage, type PageRequest } from "../../platform/storage/list-page.ts";
import type { Row } from "../../platform/storage/tables.ts";

export type AuditRow = Omit<Row<"audit_log">, "previous_hash" | "hash">;

/** @param accountId null for what was done anywhere, and to no account. Of an account: in both its modes */
export async function listAudit(db: Db, accountId: string | null, page: PageRequest): Promise<List<AuditRow>> {
  const rows = db
    .selectFrom("audit_log")
    .select(["id", "account_id", "actor", "action", "object_id", "outcome", "details", "created_at", "sequence"]);
  const wanted = accountId === null ? rows : rows.where("account_id", "=", accountId);
  return await listPage(page, "audit_log", wanted, (row) => row);
}
