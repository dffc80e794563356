/**
 * Indexes for searching payments by parts of texts and by amount in the dashboard.
 *
 * - The terms of a session and a charge now include single words: of the values that were searchable as a whole, of the
 *   customer's name, of the description, of the line items and of the names of metadata fields, so that `order 1234`
 *   finds `order_id: "1234"`. Words are split in one function for texts and searches alike. It splits at ASCII signs and
 *   Unicode spaces and punctuation instead of using a character class, because classes depend on the database's locale.
 *   An object has at most 200 words.
 * - A charge without a session, such as a renewal, has the terms of the customer who saved the card.
 * - Charges are found by their amount, newest first. The currency is checked on the rows.
 */
export const searchWords = String.raw`
  create function search_words_of(value text) returns table (word text) language sql immutable as $$
    select distinct part
      from regexp_split_to_table(lower(value), '[\u0001-/:-@\[-${"`"}{-\u00bf\u2000-\u206f\u3000-\u303f]+') part
     where part <> ''
  $$;

  create function search_terms_of(account_id text, livemode boolean, whole_values text[], texts text[])
  returns table (term bytea) language sql stable as $$
    select search_term_of(account_id, livemode, value) from unnest(whole_values) value where btrim(value) <> ''
    union
    select search_term_of(account_id, livemode, word)
      from (select word from unnest(whole_values || texts) value, search_words_of(value) limit 200) words
  $$;

  create function search_values_of_customer(customer jsonb) returns text[] language sql immutable as $$
    select array_remove(array[customer ->> 'reference', customer ->> 'email', customer ->> 'name'], null)
  $$;

  create function search_terms_of_session(session checkout_session)
  returns table (term bytea) language sql stable as $$
    select search_terms_of(
      session.account_id,
      session.livemode,
      search_values_of_customer(session.customer) || array(select value from jsonb_each_text(session.metadata)),
      coalesce(array[session.description], '{}')
        || array(select regexp_replace(name, '([a-z])([A-Z])', '\1 \2', 'g') from jsonb_object_keys(session.metadata) name)
        || array(select item ->> 'name' from jsonb_array_elements(session.line_items) item)
    )
  $$;

  create function search_terms_of_charge(charge charge) returns table (term bytea) language sql stable as $$
    select search_terms_of(
      charge.account_id,
      charge.livemode,
      array(select value from jsonb_each_text(charge.metadata))
        || case when charge.session_id is null then coalesce(
             (select search_values_of_customer(session.customer)
                from payment_method card join checkout_session session on session.id = card.session_id
               where card.id = charge.payment_method_id and card.account_id = charge.account_id),
             '{}') else '{}' end,
      array(select regexp_replace(name, '([a-z])([A-Z])', '\1 \2', 'g') from jsonb_object_keys(charge.metadata) name)
    )
  $$;

  drop trigger session_is_searchable on checkout_session;
  create or replace function keep_search_terms_of_session() returns trigger language plpgsql as $$
  begin
    insert into search_term (term, object_id) select term, new.id from search_terms_of_session(new);
    return null;
  end
  $$;
  create trigger session_is_searchable after insert on checkout_session for each row
    when (new.customer is not null or new.metadata <> '{}' or new.description is not null or new.line_items <> '[]')
    execute function keep_search_terms_of_session();

  drop trigger charge_is_searchable on charge;
  create or replace function keep_search_terms_of_charge() returns trigger language plpgsql as $$
  begin
    insert into search_term (term, object_id) select term, new.id from search_terms_of_charge(new);
    return null;
  end
  $$;
  create trigger charge_is_searchable after insert on charge for each row
    when (new.metadata <> '{}' or new.session_id is null) execute function keep_search_terms_of_charge();

  insert into search_term (term, object_id)
  select term, session.id from checkout_session session, search_terms_of_session(session) on conflict do nothing;
  insert into search_term (term, object_id)
  select term, charge.id from charge, search_terms_of_charge(charge) on conflict do nothing;

  create index charge_by_amount on charge (account_id, livemode, amount, id);
`;
