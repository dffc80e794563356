/**
 * A queue for deliveries, endpoints that can be changed, disabled and deleted, and the event feed.
 *
 * - A `webhook_endpoint` is enabled, disabled with a reason, or deleted (`deleted_at`; deliveries still refer to it).
 *   `held_until`: it requested a pause, or doesn't respond in time. `failing_since`: no delivery has succeeded since
 *   then. After a rotation, the previous secret still signs for a while.
 * - A `delivery` is its own entry in the queue: it is pending, and due at `next_try_at`. A process that claims it moves
 *   `next_try_at` forward as a lease, and records the result only if that value is unchanged. The index finds each
 *   endpoint's due deliveries separately.
 * - An `event` has a position in the feed, (order_key, position). `order_key` is the transaction's ID, or the object's
 *   last order key if that is higher. No new event can appear below the oldest running transaction, and the events of
 *   an object stay in order. `position` breaks ties. An `event_redelivery` puts an event into the feed again. The
 *   default of `order_key` is for processes of the previous version that are still running. `object` is now `json`,
 *   which keeps the text as written.
 * - `event_clock` stores how far transaction IDs have come, and an offset to add to them. In a database restored from a
 *   dump, transaction IDs start over, but the feed must continue.
 */
export const webhooks = `
  alter table webhook_endpoint
    add column sealed_previous_secret  bytea,
    add column previous_secret_until   timestamptz,
    add column disabled_reason         text check (disabled_reason in ('requested', 'gone', 'failing')),
    add column failing_since           timestamptz,
    add column held_until              timestamptz,
    add column deleted_at              timestamptz;

  alter table event
    alter column object type json,
    add column order_key bigint not null default 0,
    add column position  bigint generated always as identity;
  alter table event alter column order_key set default pg_current_xact_id()::text::bigint;
  create index on event (account_id, livemode, order_key, position);
  alter table event_sequence add column last_order_key bigint not null default 0;

  create table event_redelivery (
    event_id   text not null references event,
    account_id text not null references account,
    livemode   boolean not null,
    order_key  bigint not null,
    position   bigint generated always as identity primary key
  );
  create index on event_redelivery (account_id, livemode, order_key, position);

  create table event_clock (
    only_row boolean primary key default true check (only_row),
    ahead    bigint not null,
    reached  bigint not null
  );
  insert into event_clock (ahead, reached) values (0, 0);

  drop index delivery_next_try_at_idx;
  create index on delivery (endpoint_id, next_try_at) where status = 'pending';
  create index on delivery (endpoint_id, id);
  create index on delivery (endpoint_id, id) where status = 'failed';
  alter table delivery
    add column duration_ms   integer,
    add column response_body text;
`;
