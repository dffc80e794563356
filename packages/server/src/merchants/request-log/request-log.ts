/**
 * The log of a merchant's API requests, for the merchant's developers. Entries are kept for thirty days. They are
 * written after the response (`request-recorder.ts`), so the last second may be missing.
 */
import { sql } from "kysely";
import type { List } from "@oriel/protocol/api";
import type { LoggedRequest, StatusClass } from "@oriel/protocol/dashboard/log";
import type { PlatformContext } from "../../platform/context.ts";
import type { Db } from "../../platform/storage/database.ts";
import { listPage, type PageRequest } from "../../platform/storage/list-page.ts";
import { ownedBy } from "../../platform/storage/owned-by.ts";
import { deleteDue } from "../../platform/storage/per-owner.ts";
import type { Row } from "../../platform/storage/tables.ts";
import type { Tenant } from "../../platform/tenant.ts";
import { unixSeconds } from "../../platform/unix-seconds.ts";

const retentionMs = 30 * 24 * 3_600_000;

export interface RequestFilter {
  status?: StatusClass | undefined;
  method?: string | undefined;
  /** Matches at most one request. */
  request_id?: string | undefined;
}

export async function listRequests(
  db: Db,
  tenant: Tenant,
  { status, method, request_id }: RequestFilter,
  page: PageRequest,
): Promise<List<LoggedRequest>> {
  let rows = db.selectFrom("request_log").selectAll().where(ownedBy(tenant));
  if (status !== undefined) rows = rows.where(statusIs[status]);
  if (method !== undefined) rows = rows.where("method", "=", method);
  if (request_id !== undefined) rows = rows.where("id", "=", request_id);
  return await listPage(page, "request_log", rows, toLoggedRequest);
}

/** Deletes requests that are older than thirty days. @returns the number of deleted requests */
export async function deleteOldRequests(
  context: Pick<PlatformContext, "db" | "nodes" | "now" | "log">,
  limit: number,
): Promise<number> {
  const { db, now } = context;
  const oldest = new Date(now().getTime() - retentionMs);
  return await deleteDue(context, {
    from: "request_log",
    due: db
      .selectFrom("request_log")
      .select(["account_no", "livemode", "id"])
      .where("created_at", "<=", oldest)
      .orderBy("created_at"),
    limit,
  });
}

/**
 * The status codes are literals in the SQL, not parameters, so that PostgreSQL can use the partial index on failed
 * requests.
 */
const statusIs: Readonly<Record<StatusClass, ReturnType<typeof sql<boolean>>>> = {
  "2xx": sql<boolean>`status between 200 and 299`,
  "4xx": sql<boolean>`status >= 400 and status < 500`,
  "5xx": sql<boolean>`status >= 500`,
};

function toLoggedRequest(row: Row<"request_log">): LoggedRequest {
  return {
    id: row.id,
    created: unixSeconds(row.created_at),
    method: row.method,
    path: row.path,
    status: row.status,
    error_code: row.error_code,
    duration_ms: row.duration_ms,
    api_key_id: row.api_key_id,
    idempotency_key: row.idempotency_key,
    differing_fields: row.differed,
  };
}
