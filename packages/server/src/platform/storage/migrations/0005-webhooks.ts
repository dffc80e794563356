/**
 * Deliveries that queue themselves, endpoints that can be changed and lost, and events in an order that can be walked.
 *
 * - A `webhook_endpoint` is enabled, disabled with a reason, or deleted (`deleted_at`: its deliveries go on referring
 *   to it). `held_until`: it asked for a pause, or does not answer. `failing_since`: no success since. For an overlap
 *   the secret before this one signs as well.
 * - A `delivery` is its own place in the queue: pending, and due at `next_try_at`. Whoever tries it moves that ahead,
 *   so that nobody else does meanwhile, and by the very time it wrote there knows afterwards that nobody has. The index
 *   finds each endpoint's due ones apart.
 * - An `event` has its place in the walk, (order_key, position). `order_key` is the transaction's id, or its object's
 *   last one if that is higher: below the oldest transaction that still runs nothing can appear any more, and an
 *   object's events stay in their order. `position` breaks ties. An `event_redelivery` is an event's second place in
 *   the walk; its transaction's id is no event's. The default is for processes of the version before, while they still
 *   run. Its `object` is kept as it was written, not put in another order.
 * - `event_clock` says how far transaction ids had come, and what is added to them: they begin again in a database that
 *   was restored from a dump, and the walk must not.
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
