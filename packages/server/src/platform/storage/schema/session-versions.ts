/**
 * The nineteenth version of the schema: checkout sessions whose amount changes.
 *
 * A session's amount and its parts (line items, the chosen shipping option, discounts and tax) have a `version`, and a
 * charge has that of its session. The table `session_version` has each version that was replaced. The words of a session
 * can change too, so its search terms follow.
 *
 * Processes of the earlier version can run meanwhile. They don't compare versions, so the constraint keeps them from
 * starting a payment in a session that has changed: only a claim that compares the version sets `version_claimed_by`.
 */
export const sessionVersions = /* sql */ `
  alter table checkout_session add column version integer not null default 1;
  alter table checkout_session add column shipping_options jsonb not null default '[]';
  alter table checkout_session add column shipping_option text;
  alter table checkout_session add column discounts jsonb not null default '[]';
  alter table checkout_session add column tax_amount bigint;
  alter table checkout_session add column version_claimed_by text;
  alter table checkout_session add constraint checkout_session_version_claimed
    check (version = 1 or payment_decision_id is null or version_claimed_by is not distinct from payment_decision_id)
    not valid;
  alter table charge add column session_version integer;

  create table session_version (
    account_no       bigint not null,
    livemode         boolean not null,
    session_id       text not null,
    version          integer not null,
    amount           bigint not null,
    line_items       jsonb not null,
    shipping_options jsonb not null,
    shipping_option  text,
    discounts        jsonb not null,
    tax_amount       bigint,
    replaced_at      timestamptz not null,
    primary key (account_no, livemode, session_id, version)
  );

  create function follow_search_terms_of_session() returns trigger language plpgsql as $$
  begin
    delete from public.search_term
    where account_no = new.account_no and livemode = new.livemode and object_id = new.id and term = any(array(
      select term from public.search_terms_of_session(old.customer, old.metadata, old.description, old.line_items)
    ));
    -- Which 200 words an object has isn't defined, so some may be left.
    insert into public.search_term (account_no, livemode, term, object_id)
    select new.account_no, new.livemode, found.term, new.id
    from public.search_terms_of_session(new.customer, new.metadata, new.description, new.line_items) found
    where not exists (
      select 1 from public.search_term
      where account_no = new.account_no and livemode = new.livemode and search_term.term = found.term
        and object_id = new.id
    );
    return null;
  end
  $$;
  create trigger session_stays_searchable after update of metadata, description, line_items on checkout_session
    for each row when (old.metadata is distinct from new.metadata or old.description is distinct from new.description
      or old.line_items is distinct from new.line_items)
    execute function follow_search_terms_of_session();
`;
