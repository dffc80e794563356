/**
 * The queue of deliveries: claims due deliveries, so that no other process claims the same ones.
 *
 * A first statement chooses endpoints with due deliveries, the least busy first, and limits how many belong to one
 * account. It locks nothing, and never scans a backlog of a slow or dead endpoint. Then one statement for each account
 * takes an equal share of the oldest deliveries from each endpoint. Claiming a delivery moves its `next_try_at` forward
 * by a lease. If the process dies, another one can claim the delivery after the lease. The result is recorded only if the
 * lease is unchanged.
 */
import { sql } from "kysely";
import type { EventContents } from "../payments/events/record-event.ts";
import type { PlatformContext } from "../platform/context.ts";
import { tenantOfId } from "../platform/ids.ts";
import type { Db } from "../platform/storage/database.ts";
import { waitingEndpoints, type IsReachable } from "../platform/storage/nodes.ts";
import { groupByOwner, perOwner } from "../platform/storage/per-owner.ts";
import type { Row } from "../platform/storage/tables.ts";
import { tenantOf, type Tenant } from "../platform/tenant.ts";

/** Longer than an attempt can take. */
const leaseMs = 25_000;

export interface DueDelivery {
  id: string;
  tries: number;
  /** When it was due. */
  dueAt: Date;
  lease: Date;
  event: EventContents;
  /** The owner of the event and the endpoint. */
  tenant: Tenant;
  endpoint: Row<"webhook_endpoint">;
}

export interface Capacity {
  /** Maximum number of deliveries to claim. */
  total: number;
  /** Maximum number of deliveries in progress to one endpoint. */
  perEndpoint: number;
  /** The same for an endpoint that has been failing. */
  perFailingEndpoint: number;
  /**
   * Maximum number of deliveries in progress to one account's endpoints. It can be exceeded by one endpoint's maximum.
   */
  perAccount: number;
  /** Deliveries in progress by endpoint ID. */
  taken: ReadonlyMap<string, number>;
}

interface ClaimedRow extends Row<"webhook_endpoint"> {
  delivery_id: string;
  tries: number;
  due_at: Date;
  event_id: string;
  event_type: Row<"event">["type"];
  event_created_at: Date;
  object_sequence: number;
  object: Row<"event">["object"];
  request_id: string | null;
  idempotency_key: string | null;
}

/** An endpoint with due deliveries, and how many of them to claim. */
interface Share {
  account_no: number;
  livemode: boolean;
  id: string;
  share: number;
}

/**
 * @param aheadMs also claims deliveries that become due within this time
 * @returns at most `capacity.total` deliveries, each reserved for the caller until its lease ends
 */
export async function claimDeliveries(
  context: Pick<PlatformContext, "db" | "nodes" | "now" | "log">,
  capacity: Capacity,
  aheadMs = 0,
): Promise<DueDelivery[]> {
  const { db, nodes, now } = context;
  const dueBy = new Date(now().getTime() + aheadMs);
  const shares = await nodes.ofAllAccounts(
    async (isReachable) => await chooseEndpoints(db, dueBy, capacity, isReachable),
  );
  const claimed = await perOwner(context, "claim deliveries", groupByOwner(shares), (own) => claimOwn(db, dueBy, own));
  return claimed.flat();
}

async function chooseEndpoints(db: Db, dueBy: Date, capacity: Capacity, isReachable: IsReachable): Promise<Share[]> {
  const taken = [...capacity.taken].flatMap(([id, count]) => {
    const accountNo = tenantOfId(id)?.accountNo;
    return accountNo === undefined ? [] : [{ accountNo, id, count }];
  });
  const { rows } = await sql<Share>`
    with busy as (
      select taken.id, taken.account_no, taken.count
      from unnest(${taken.map(({ accountNo }) => accountNo)}::bigint[], ${taken.map(({ id }) => id)}::text[],
        ${taken.map(({ count }) => count)}::integer[]) as taken (account_no, id, count)
    ),
    ready as (
      select endpoint.account_no, endpoint.livemode, endpoint.id, oldest.next_try_at, coalesce(busy.count, 0) as count,
        case when endpoint.failing_since is null then ${capacity.perEndpoint}::integer else ${capacity.perFailingEndpoint}::integer end
          - coalesce(busy.count, 0) as free
      from ${waitingEndpoints(isReachable)} waiting
      join webhook_endpoint endpoint
        on (endpoint.account_no, endpoint.livemode, endpoint.id) = (waiting.account_no, waiting.livemode, waiting.endpoint_id)
      left join busy on busy.id = endpoint.id
      cross join lateral (
        select next_try_at from delivery
        where (account_no, livemode, endpoint_id) = (endpoint.account_no, endpoint.livemode, endpoint.id)
          and status = 'pending' and next_try_at <= ${dueBy} and ${isReachable()}
        order by next_try_at limit 1
      ) oldest
      where (endpoint.held_until is null or endpoint.held_until <= ${dueBy}) and ${isReachable("endpoint")}
    ),
    admitted as (
      select account_no, livemode, id, free, count, next_try_at,
        row_number() over (partition by account_no order by count, next_try_at) as place,
        coalesce((select sum(busy.count) from busy where busy.account_no = ready.account_no), 0) as account_count
      from ready where free > 0
    )
    select account_no, livemode, id, least(free, greatest(1, ${capacity.total}::integer / count(*) over ()))::integer as share
    from (
      select * from admitted
      where account_count + (place - 1) * ${capacity.perEndpoint}::integer < ${capacity.perAccount}::integer
      order by count, next_try_at limit ${capacity.total}
    ) fair`.execute(db);
  return rows;
}

/** Claims deliveries to endpoints of one owner. */
async function claimOwn(db: Db, dueBy: Date, shares: [Share, ...Share[]]): Promise<DueDelivery[]> {
  const { accountNo, livemode } = tenantOf(shares[0]);
  const lease = new Date(dueBy.getTime() + leaseMs);
  // PostgreSQL doesn't know how large the shares are. Without a total, it expects many rows and reads the whole table.
  const total = shares.reduce((sum, { share }) => sum + share, 0);
  const { rows } = await sql<ClaimedRow>`
    with chosen as (
      select chosen.id, chosen.share
      from unnest(${shares.map(({ id }) => id)}::text[], ${shares.map(({ share }) => share)}::integer[]) as chosen (id, share)
    ),
    due as materialized (
      select picked.* from chosen cross join lateral (
        select endpoint_id, id, next_try_at from delivery
        where account_no = ${accountNo} and livemode = ${livemode} and endpoint_id = chosen.id
          and status = 'pending' and next_try_at <= ${dueBy}
        order by next_try_at limit chosen.share
        for update skip locked
      ) picked
      limit ${total}
    )
    update delivery set next_try_at = ${lease}
    from due, event, webhook_endpoint endpoint
    where (delivery.account_no, delivery.livemode, delivery.endpoint_id, delivery.id)
        = (${accountNo}, ${livemode}, due.endpoint_id, due.id)
      and (event.account_no, event.livemode, event.id) = (${accountNo}, ${livemode}, delivery.event_id)
      and (endpoint.account_no, endpoint.livemode, endpoint.id) = (${accountNo}, ${livemode}, delivery.endpoint_id)
    returning endpoint.*, delivery.id as delivery_id, delivery.tries, due.next_try_at as due_at,
      event.id as event_id,
      event.type as event_type,
      event.created_at as event_created_at, event.object_sequence, event.object, event.request_id, event.idempotency_key`.execute(
    db,
  );
  return rows.map((row) => toDueDelivery(row, lease));
}

function toDueDelivery(row: ClaimedRow, lease: Date): DueDelivery {
  const {
    delivery_id,
    tries,
    due_at: dueAt,
    event_id,
    event_type,
    event_created_at,
    object_sequence,
    object,
    request_id,
    idempotency_key,
    ...endpoint
  } = row;
  const tenant = tenantOf(endpoint);
  const { livemode } = tenant;
  const event = { id: event_id, type: event_type, created_at: event_created_at, livemode, object_sequence, object };
  return {
    id: delivery_id,
    tries,
    dueAt,
    lease,
    event: { ...event, request_id, idempotency_key },
    tenant,
    endpoint,
  };
}
