/**
 * The eighteenth version of the schema: the trigger that writes the search terms of a charge consists of plain statements
 * about one table each. In a Citus cluster, a join or `insert … select` in a trigger takes several times as long.
 *
 * Processes of the earlier version can run meanwhile.
 */
export const plainChargeTrigger = /* sql */ `
  create or replace function keep_search_terms_of_charge() returns trigger language plpgsql as $$
  declare
    saved_in text;
    customer jsonb;
    found_term bytea;
  begin
    if new.session_id is null then
      select card.session_id into saved_in from public.payment_method card
      where card.account_no = new.account_no and card.livemode = new.livemode and card.id = new.payment_method_id;
      if found then
        select session.customer into customer from public.checkout_session session
        where session.account_no = new.account_no and session.livemode = new.livemode and session.id = saved_in;
      end if;
    end if;
    for found_term in select term from public.search_terms_of_charge(new.metadata, customer) loop
      insert into public.search_term (account_no, livemode, term, object_id)
      values (new.account_no, new.livemode, found_term, new.id);
    end loop;
    return null;
  end
  $$;
`;
