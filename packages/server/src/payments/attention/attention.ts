/**
 * The items that need a person's attention, for the dashboard. `raise-attention.ts` adds them. An item is about one
 * payment, or about a notification that fits none. A user resolves an item with `../flow/resolve-by-user.ts`.
 */
import type { AttentionItem as AttentionObject } from "@oriel/protocol/api";
import type { AttentionCount, AttentionItem, AttentionQuery } from "@oriel/protocol/dashboard/acquirers";
import type { Page } from "@oriel/protocol/dashboard/payments";
import type { PlatformContext } from "../../platform/context.ts";
import type { Db } from "../../platform/storage/database.ts";
import { listPage } from "../../platform/storage/list-page.ts";
import { ownedBy } from "../../platform/storage/owned-by.ts";
import type { Row } from "../../platform/storage/tables.ts";
import type { Tenant } from "../../platform/tenant.ts";
import { unixSeconds } from "../../platform/unix-seconds.ts";

/** Counting stops here. */
const maxCount = 100;

/** Newest first. */
export async function listAttention(
  { db }: Pick<PlatformContext, "db">,
  tenant: Tenant,
  { state, limit = "25", ...page }: AttentionQuery,
): Promise<Page<AttentionItem>> {
  let items = selectItems(db, tenant);
  if (state !== undefined) items = items.where("resolved_at", state === "open" ? "is" : "is not", null);
  const { data, has_more } = await listPage({ limit, ...page }, "attention", items, toAttentionItem);
  return { data, has_more };
}

/** What concerns a charge, newest first. */
export async function attentionOf(db: Db, tenant: Tenant, chargeId: string): Promise<AttentionItem[]> {
  const items = selectItems(db, tenant).where("charge_id", "=", chargeId);
  return (await items.orderBy("attention.id", "desc").execute()).map(toAttentionItem);
}

/** @param id must exist */
export async function readAttention(db: Db, tenant: Tenant, id: string): Promise<AttentionItem> {
  return toAttentionItem(await selectItems(db, tenant).where("attention.id", "=", id).executeTakeFirstOrThrow());
}

export async function countAttention({ db }: Pick<PlatformContext, "db">, tenant: Tenant): Promise<AttentionCount> {
  const open = db.selectFrom("attention").select("id").where(ownedBy(tenant)).where("resolved_at", "is", null);
  const needingResponse = db
    .selectFrom("dispute")
    .select("id")
    .where(ownedBy(tenant))
    .where("status", "=", "needs_response");
  const [attention, disputes] = await Promise.all([
    open.limit(maxCount).execute(),
    needingResponse.limit(maxCount).execute(),
  ]);
  return { attention: attention.length, disputes: disputes.length };
}

type ObjectRow = Pick<Row<"attention">, "id" | "livemode" | "kind" | "charge_id" | "details" | "created_at">;
type ItemRow = ObjectRow & Pick<Row<"attention">, "resolved_at"> & { email: string | null };

/** With the email address of the user who resolved it. The user's account may be gone. */
function selectItems(db: Db, tenant: Tenant) {
  return db
    .selectFrom("attention")
    .leftJoin("login", "login.id", "attention.resolved_by")
    .select(["attention.id", "attention.livemode", "kind", "charge_id", "details", "attention.created_at"])
    .select(["resolved_at", "login.email"])
    .where(ownedBy(tenant, "attention"));
}

function toAttentionItem(row: ItemRow): AttentionItem {
  return {
    ...toAttentionObject(row),
    resolved: row.resolved_at === null ? null : unixSeconds(row.resolved_at),
    resolved_by: row.email,
  };
}

/** The item as in its event. */
export function toAttentionObject({ id, livemode, created_at, kind, charge_id, details }: ObjectRow): AttentionObject {
  return { id, object: "attention_item", livemode, created: unixSeconds(created_at), kind, charge_id, details };
}
