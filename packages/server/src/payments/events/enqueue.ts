/**
 * Creates deliveries. A delivery is one event on its way to one endpoint. Its row is written in the transaction that
 * records or redelivers the event, so an event never commits without its deliveries. `webhooks/` sends them.
 */
import { sql, type ExpressionBuilder } from "kysely";
import { newId } from "../../platform/ids.ts";
import { announce } from "../../platform/storage/commit-hooks.ts";
import type { Tx } from "../../platform/storage/database.ts";
import { ownedBy } from "../../platform/storage/owned-by.ts";
import type { Row, Tables } from "../../platform/storage/tables.ts";
import { ownerColumns, type Tenant } from "../../platform/tenant.ts";

/** The notification channel that wakes every dispatcher when a transaction with new deliveries commits. */
export const deliveriesChannel = "oriel_deliveries";

/** The most endpoints an account can have per mode, because every event goes to each of them. */
export const maxEndpoints = 20;

const perStatement = 1_000;

/** Writes deliveries and restarts the schedule of existing ones. @returns the number of deliveries written */
export async function enqueue(
  tx: Tx,
  tenant: Tenant,
  eventIds: readonly string[],
  endpointIds: readonly string[],
  now: Date,
): Promise<number> {
  const all = eventIds.flatMap((eventId) =>
    endpointIds.map((endpointId) => newDelivery(tenant, eventId, endpointId, now)),
  );
  for (let i = 0; i < all.length; i += perStatement) {
    await tx
      .insertInto("delivery")
      .values(all.slice(i, i + perStatement))
      .onConflict((conflict) =>
        conflict
          .columns(["account_no", "livemode", "event_id", "endpoint_id"])
          .doUpdateSet({ status: "pending", tries: 0, next_try_at: now }),
      )
      .execute();
  }
  if (all.length > 0) announce(tx, deliveriesChannel);
  return all.length;
}

/**
 * The endpoints that receive an event: those subscribed to its type or, for a `ping`, the endpoint that it's about.
 * They are always returned in the same order, so that their rows are locked in the same order.
 */
export async function endpointsFor(
  tx: Tx,
  tenant: Tenant,
  { type, object_id }: Pick<Row<"event">, "type" | "object_id">,
): Promise<string[]> {
  const isSubscribed = ({ eb, or }: ExpressionBuilder<Tables, "webhook_endpoint">) =>
    type === "ping"
      ? eb("id", "=", object_id)
      : or([eb("enabled_events", "is", null), sql<boolean>`${type} = any(enabled_events)`]);
  const own = tx.selectFrom("webhook_endpoint").where(ownedBy(tenant)).where("deleted_at", "is", null);
  const rows = await own.select("id").where("status", "=", "enabled").where(isSubscribed).orderBy("id").execute();
  return rows.map(({ id }) => id);
}

function newDelivery(tenant: Tenant, eventId: string, endpointId: string, now: Date) {
  return {
    ...ownerColumns(tenant),
    id: newId("del", now, tenant),
    event_id: eventId,
    endpoint_id: endpointId,
    status: "pending" as const,
    next_try_at: now,
    created_at: now,
  };
}
