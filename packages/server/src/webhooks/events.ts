/**
 * Events: something happened. Written in the transaction of the state they report, with the object as it is at that moment, and with a
 * delivery to each endpoint that wants them. `object_sequence` counts the events of one object from 1 without gaps: the counter's row is
 * locked until the transaction ends, so the numbers are in the order of the commits.
 */
import {
  apiVersion,
  type ChargeWithSession,
  type CheckoutSession,
  type Event,
  type EventType,
  type Refund,
} from "@oriel/protocol/api";
import { sql } from "kysely";
import type { Context, Cause } from "../context.ts";
import { ownedBy, type Tenant } from "../tenant.ts";
import { missingInPath } from "../errors.ts";
import { newId } from "../ids.ts";
import type { Db, Tx } from "../storage/database.ts";
import { listPage, type PageRequest } from "../storage/list-page.ts";
import type { Row } from "../storage/tables.ts";
import { unixSeconds } from "../unix-seconds.ts";

type Happening =
  | { type: "payment.succeeded" | "payment_failed" | "charge.authorized" | "charge.canceled"; object: ChargeWithSession }
  | { type: "refund.succeeded" | "refund.failed"; object: Refund }
  | { type: "checkout_session.completed" | "checkout_session.expired"; object: CheckoutSession };

export async function recordEvent(
  { jobs, now }: Pick<Context, "jobs" | "now">,
  tx: Tx,
  tenant: Tenant,
  { type, object }: Happening,
  cause: Cause,
): Promise<void> {
  const createdAt = now();
  const id = newId("evt", createdAt);
  const { last } = await tx
    .insertInto("event_sequence")
    .values({ object_id: object.id, last: 1 })
    .onConflict((conflict) => conflict.column("object_id").doUpdateSet({ last: sql`event_sequence.last + 1` }))
    .returning("last")
    .executeTakeFirstOrThrow();
  await tx
    .insertInto("event")
    .values({
      id,
      account_id: tenant.accountId,
      livemode: tenant.livemode,
      type,
      object_id: object.id,
      object_sequence: last,
      object: JSON.stringify(object),
      request_id: cause.requestId,
      idempotency_key: cause.idempotencyKey,
      created_at: createdAt,
    })
    .execute();
  for (const endpoint of await endpointsFor(tx, tenant, type)) {
    const deliveryId = newId("del", createdAt);
    await tx
      .insertInto("delivery")
      .values({
        id: deliveryId,
        event_id: id,
        endpoint_id: endpoint.id,
        status: "pending",
        next_try_at: createdAt,
        created_at: createdAt,
      })
      .execute();
    await jobs.send(tx, "deliver", { deliveryId });
  }
}

export async function retrieveEvent({ db }: Pick<Context, "db">, tenant: Tenant, id: string): Promise<Event> {
  const row = await ownEvents(db, tenant).selectAll().where("id", "=", id).executeTakeFirst();
  if (row === undefined) throw missingInPath("event", id);
  return toEvent(row);
}

export async function listEvents(
  { db }: Pick<Context, "db">,
  tenant: Tenant,
  page: PageRequest & { type?: EventType | undefined },
) {
  let events = ownEvents(db, tenant).selectAll();
  if (page.type !== undefined) events = events.where("type", "=", page.type);
  return await listPage(page, "event", events, toEvent);
}

/** The event as the API shows it and as it is sent. */
export function toEvent(row: Row<"event">): Event {
  return {
    id: row.id,
    object: "event",
    type: row.type,
    created: unixSeconds(row.created_at),
    api_version: apiVersion,
    livemode: row.livemode,
    object_sequence: row.object_sequence,
    data: { object: row.object },
    request: { id: row.request_id, idempotency_key: row.idempotency_key },
  } as Event; // type and object were written together by recordEvent
}

async function endpointsFor(tx: Tx, tenant: Tenant, type: EventType): Promise<{ id: string }[]> {
  return await tx
    .selectFrom("webhook_endpoint")
    .select("id")
    .where(ownedBy(tenant))
    .where("status", "=", "enabled")
    .where(({ eb, or }) => or([eb("enabled_events", "is", null), sql<boolean>`${type} = any(enabled_events)`]))
    .execute();
}

function ownEvents(db: Db, tenant: Tenant) {
  return db.selectFrom("event").where(ownedBy(tenant));
}
