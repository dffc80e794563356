/**
 * The seventeenth version of the schema: Citus can distribute the tables by account.
 *
 * - Citus drops functions whose parameters are rows of a distributed table, so the search terms of an object are computed
 *   from its columns. A trigger that is running may still call the earlier functions, so a later version drops them.
 *   Triggers run on the workers, so all names in them include the schema.
 * - On a worker, an `insert … select … on conflict` in a trigger reports rows that it didn't insert. So the trigger of the
 *   ledger inserts values.
 * - `waiting_endpoint` has the endpoints with pending deliveries. It skips from one endpoint to the next in an index, so the
 *   number of pending deliveries doesn't matter. Citus refuses this recursion, and has a definition of its own
 *   (`distribute.ts`).
 *
 * Processes of the earlier version can run meanwhile. They never call the functions themselves.
 */
export const distributable = String.raw`
  create function search_terms_of_session(customer jsonb, metadata jsonb, description text, line_items jsonb)
  returns table (term bytea) language sql stable as $$
    select search_terms_of(
      search_values_of_customer(customer) || array(select value from jsonb_each_text(metadata)),
      coalesce(array[description], '{}')
        || array(select regexp_replace(name, '([a-z])([A-Z])', '\1 \2', 'g') from jsonb_object_keys(metadata) name)
        || array(select item ->> 'name' from jsonb_array_elements(line_items) item)
    )
  $$;

  create function search_terms_of_charge(metadata jsonb, customer jsonb)
  returns table (term bytea) language sql stable as $$
    select search_terms_of(
      array(select value from jsonb_each_text(metadata)) || search_values_of_customer(customer),
      array(select regexp_replace(name, '([a-z])([A-Z])', '\1 \2', 'g') from jsonb_object_keys(metadata) name)
    )
  $$;

  create or replace function keep_search_terms_of_session() returns trigger language plpgsql as $$
  begin
    insert into public.search_term (account_no, livemode, term, object_id)
    select new.account_no, new.livemode, term, new.id
    from public.search_terms_of_session(new.customer, new.metadata, new.description, new.line_items);
    return null;
  end
  $$;

  create or replace function keep_search_terms_of_charge() returns trigger language plpgsql as $$
  declare
    customer jsonb;
  begin
    if new.session_id is null then
      select session.customer into customer
      from public.payment_method card join public.checkout_session session
        on session.account_no = new.account_no and session.livemode = new.livemode and session.id = card.session_id
      where card.account_no = new.account_no and card.livemode = new.livemode and card.id = new.payment_method_id;
    end if;
    insert into public.search_term (account_no, livemode, term, object_id)
    select new.account_no, new.livemode, term, new.id
    from public.search_terms_of_charge(new.metadata, customer);
    return null;
  end
  $$;

  create or replace function enter_attempt_in_ledger() returns trigger language plpgsql as $$
  declare
    moved record;
    is_refund boolean := new.kind in ('refund', 'reverse');
  begin
    if new.kind not in ('authorize', 'capture', 'refund', 'reverse') or new.reversal in ('reference', 'cancel') then
      return null;
    end if;
    select currency, capture_method, case when is_refund then 'refund' else 'capture' end as kind,
      case when is_refund then -new.amount else new.amount end as amount
    into strict moved from public.charge
    where account_no = new.account_no and livemode = new.livemode and id = new.charge_id;
    if new.kind = 'authorize' and moved.capture_method <> 'automatic' then
      return null;
    end if;
    insert into public.ledger_entry
      (account_no, livemode, charge_id, kind, reference, amount, currency, attempt_id, created_at)
    values (new.account_no, new.livemode, new.charge_id, moved.kind, coalesce(new.acquirer_id, new.id), moved.amount,
      moved.currency, new.id, new.finished_at)
    on conflict do nothing;
    if not found and new.kind <> 'authorize' and exists (
      select 1 from public.ledger_entry
      where account_no = new.account_no and livemode = new.livemode and charge_id = new.charge_id
        and kind = moved.kind and reference = new.acquirer_id and attempt_id <> new.id
    ) then
      insert into public.ledger_entry
        (account_no, livemode, charge_id, kind, reference, amount, currency, attempt_id, created_at)
      values (new.account_no, new.livemode, new.charge_id, moved.kind, new.id, moved.amount, moved.currency, new.id,
        new.finished_at)
      on conflict do nothing;
    end if;
    return null;
  end
  $$;

  create view waiting_endpoint as
  with recursive waiting as (
    (
      select account_no, livemode, endpoint_id from delivery
      where status = 'pending' order by account_no, livemode, endpoint_id limit 1
    )
    union all
    select next.* from waiting cross join lateral (
      select account_no, livemode, endpoint_id from delivery
      where status = 'pending'
        and (account_no, livemode, endpoint_id) > (waiting.account_no, waiting.livemode, waiting.endpoint_id)
      order by account_no, livemode, endpoint_id limit 1
    ) next
  )
  select * from waiting;
`;
