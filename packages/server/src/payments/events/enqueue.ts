/**
 * New deliveries: one event on its way to one endpoint. They are rows, written in the transaction that writes the event
 * or redelivers it, so an event never commits without them. `webhooks/` sends them.
 */
import { sql, type ExpressionBuilder } from "kysely";
import { newId } from "../../platform/ids.ts";
import { announce } from "../../platform/storage/announce.ts";
import type { Tx } from "../../platform/storage/database.ts";
import type { Row, Tables } from "../../platform/storage/tables.ts";
import { ownedBy, type Tenant } from "../../platform/tenant.ts";

/** The channel that wakes every dispatcher when a transaction with new deliveries commits. */
export const deliveriesChannel = "oriel_deliveries";

const perStatement = 1_000;

/** Writes deliveries; one that exists already starts its schedule again. @returns how many */
export async function enqueue(
  tx: Tx,
  eventIds: readonly string[],
  endpointIds: readonly string[],
  now: Date,
): Promise<number> {
  const all = eventIds.flatMap((eventId) => endpointIds.map((endpointId) => newDelivery(eventId, endpointId, now)));
  for (let i = 0; i < all.length; i += perStatement) {
    await tx
      .insertInto("delivery")
      .values(all.slice(i, i + perStatement))
      .onConflict((conflict) =>
        conflict.columns(["event_id", "endpoint_id"]).doUpdateSet({ status: "pending", tries: 0, next_try_at: now }),
      )
      .execute();
  }
  if (all.length > 0) announce(tx, deliveriesChannel);
  return all.length;
}

/**
 * The endpoints that an event goes to: those that want its type, or for a `ping` the one it is about. Always in the
 * same order, in which their rows are locked.
 */
export async function endpointsFor(
  tx: Tx,
  tenant: Tenant,
  { type, object_id }: Pick<Row<"event">, "type" | "object_id">,
): Promise<string[]> {
  const wants = ({ eb, or }: ExpressionBuilder<Tables, "webhook_endpoint">) =>
    type === "ping"
      ? eb("id", "=", object_id)
      : or([eb("enabled_events", "is", null), sql<boolean>`${type} = any(enabled_events)`]);
  const own = tx.selectFrom("webhook_endpoint").where(ownedBy(tenant)).where("deleted_at", "is", null);
  const rows = await own.select("id").where("status", "=", "enabled").where(wants).orderBy("id").execute();
  return rows.map(({ id }) => id);
}

function newDelivery(eventId: string, endpointId: string, now: Date) {
  const id = newId("del", now);
  return {
    id,
    event_id: eventId,
    endpoint_id: endpointId,
    status: "pending" as const,
    next_try_at: now,
    created_at: now,
  };
}
