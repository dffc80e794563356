/**
 * Indexes for searching and listing payments in the dashboard.
 *
 * - A `search_term` links a text to an object: the customer's email address and reference and the metadata values for a
 *   session, the metadata values for a charge. None of these change, so triggers write them once, when the object is
 *   created. The text is stored as a digest that includes the account and the mode. All terms are equally short, and a
 *   search can't match another merchant's terms. It is a table, not an index on the objects, so that a term shared by a
 *   million sessions still returns the newest few quickly.
 * - The index for listing charges also contains the columns that the overview counts, which can then read a hundred
 *   thousand charges without their rows. Most of these columns change only together with the status, which is in an
 *   index anyway. A refund still changes no index.
 * - Charges that aren't simply paid are few, and have separate indexes without the paid ones.
 * - A `payment_method` is found by its last four digits. Saved ones have their own index, apart from the many used
 *   once.
 * - Decisions of a payment method are listed newest first per merchant, because all merchants share the test payment
 *   methods.
 */
export const dashboardIndexes = `
  create table search_term (
    term      bytea not null,
    object_id text not null,
    primary key (term, object_id)
  );

  create function search_term_of(account_id text, livemode boolean, value text) returns bytea language sql stable as $$
    select substr(sha256(convert_to(account_id || ' ' || livemode::text || ' ' || lower(btrim(value)), 'UTF8')), 1, 16)
  $$;

  create function keep_search_terms_of_session() returns trigger language plpgsql as $$
  begin
    insert into search_term (term, object_id)
    select distinct search_term_of(new.account_id, new.livemode, value), new.id
      from (
        select value from jsonb_each_text(new.metadata)
        union all select new.customer ->> 'email'
        union all select new.customer ->> 'reference'
      ) texts
     where btrim(value) <> '';
    return null;
  end
  $$;
  create trigger session_is_searchable after insert on checkout_session for each row
    when (new.customer is not null or new.metadata <> '{}') execute function keep_search_terms_of_session();

  create function keep_search_terms_of_charge() returns trigger language plpgsql as $$
  begin
    insert into search_term (term, object_id)
    select distinct search_term_of(new.account_id, new.livemode, value), new.id
      from jsonb_each_text(new.metadata)
     where btrim(value) <> '';
    return null;
  end
  $$;
  create trigger charge_is_searchable after insert on charge for each row
    when (new.metadata <> '{}') execute function keep_search_terms_of_charge();

  insert into search_term (term, object_id)
  select distinct search_term_of(account_id, livemode, value), id
    from (
      select account_id, livemode, id, value from checkout_session, jsonb_each_text(metadata)
      union all select account_id, livemode, id, customer ->> 'email' from checkout_session
      union all select account_id, livemode, id, customer ->> 'reference' from checkout_session
      union all select account_id, livemode, id, value from charge, jsonb_each_text(metadata)
    ) texts
   where btrim(value) <> '';

  drop index charge_account_id_livemode_id_idx;
  create index charge_by_account on charge (account_id, livemode, id)
    include (currency, status, decline_code, amount_captured, created_at);
  create index charge_not_simply_paid on charge (account_id, livemode, status, id) where status <> 'succeeded';
  create index charge_declined on charge (account_id, livemode, decline_code, id) where decline_code is not null;
  create index payment_method_by_last4 on payment_method (account_id, livemode, last4, id);
  create index payment_method_saved on payment_method (account_id, livemode, id) where reusable;
  drop index decision_payment_method_id_idx;
  create index decision_by_payment_method on decision (payment_method_id, account_id, livemode, id);
`;
