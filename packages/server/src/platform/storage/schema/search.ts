/**
 * Search terms of the dashboard. A `search_term` links a text to an object that contains it. Triggers write
 * the terms of an object when it is created. `session-versions.ts` updates those of a session that changes.
 *
 * - Terms of a session: the customer's email address, name and reference and the metadata values as a whole, and single
 *   words of these, of the description, of the line items and of the names of metadata fields, so that `order 1234` finds
 *   `order_id: "1234"`. A charge has the terms of its metadata, and one without a session, such as a renewal, also those
 *   of the customer who saved the card. An object has at most 200 words.
 * - Words are split in one function for texts and searches alike. It splits at ASCII signs and Unicode spaces and
 *   punctuation instead of using a character class, because classes depend on the database's locale.
 * - A term is stored as a digest, so that all are equally short. It is a table, not an index on the objects, so that a
 *   term shared by a million sessions still returns the newest few quickly.
 *
 * `distributable.ts` has the functions that are used instead of those that take a row.
 */
export const search = String.raw`
  create table search_term (
    account_no bigint not null,
    livemode   boolean not null,
    term       bytea not null,
    object_id  text not null,
    primary key (account_no, livemode, term, object_id)
  );

  create function search_term_of(value text) returns bytea language sql stable as $$
    select substr(sha256(convert_to(lower(btrim(value)), 'UTF8')), 1, 16)
  $$;

  create function search_words_of(value text) returns table (word text) language sql immutable as $$
    select distinct part
      from regexp_split_to_table(lower(value), '[\u0001-/:-@\[-${"`"}{-\u00bf\u2000-\u206f\u3000-\u303f]+') part
     where part <> ''
  $$;

  create function search_terms_of(whole_values text[], texts text[])
  returns table (term bytea) language sql stable as $$
    select search_term_of(value) from unnest(whole_values) value where btrim(value) <> ''
    union
    select search_term_of(word)
      from (select word from unnest(whole_values || texts) value, search_words_of(value) limit 200) words
  $$;

  create function search_values_of_customer(customer jsonb) returns text[] language sql immutable as $$
    select array_remove(array[customer ->> 'reference', customer ->> 'email', customer ->> 'name'], null)
  $$;

  create function search_terms_of_session(session checkout_session)
  returns table (term bytea) language sql stable as $$
    select search_terms_of(
      search_values_of_customer(session.customer) || array(select value from jsonb_each_text(session.metadata)),
      coalesce(array[session.description], '{}')
        || array(select regexp_replace(name, '([a-z])([A-Z])', '\1 \2', 'g') from jsonb_object_keys(session.metadata) name)
        || array(select item ->> 'name' from jsonb_array_elements(session.line_items) item)
    )
  $$;

  create function search_terms_of_charge(charge charge) returns table (term bytea) language sql stable as $$
    select search_terms_of(
      array(select value from jsonb_each_text(charge.metadata))
        || case when charge.session_id is null then coalesce(
             (select search_values_of_customer(session.customer)
                from payment_method card join checkout_session session
                  on (session.account_no, session.livemode, session.id) = (card.account_no, card.livemode, card.session_id)
               where (card.account_no, card.livemode, card.id)
                   = (charge.account_no, charge.livemode, charge.payment_method_id)),
             '{}') else '{}' end,
      array(select regexp_replace(name, '([a-z])([A-Z])', '\1 \2', 'g') from jsonb_object_keys(charge.metadata) name)
    )
  $$;

  create function keep_search_terms_of_session() returns trigger language plpgsql as $$
  begin
    insert into search_term (account_no, livemode, term, object_id)
    select new.account_no, new.livemode, term, new.id from search_terms_of_session(new);
    return null;
  end
  $$;
  create trigger session_is_searchable after insert on checkout_session for each row
    when (new.customer is not null or new.metadata <> '{}' or new.description is not null or new.line_items <> '[]')
    execute function keep_search_terms_of_session();

  create function keep_search_terms_of_charge() returns trigger language plpgsql as $$
  begin
    insert into search_term (account_no, livemode, term, object_id)
    select new.account_no, new.livemode, term, new.id from search_terms_of_charge(new);
    return null;
  end
  $$;
  create trigger charge_is_searchable after insert on charge for each row
    when (new.metadata <> '{}' or new.session_id is null) execute function keep_search_terms_of_charge();
`;
