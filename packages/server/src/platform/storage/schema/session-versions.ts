/**
 * The nineteenth version of the schema: checkout sessions whose amount changes.
 *
 * A session's amount and its parts (line items, the chosen shipping option, discounts and tax) have a `version`, and a
 * charge has that of its session. The table `session_version` has each version that was replaced. The words of a session
 * can change too, so its search terms follow.
 *
 * Processes of the earlier version can run meanwhile. They would still charge the earlier amount of a session that
 * changes during a request, so `docs/deploy.md` says to change sessions only once they have all been restarted.
 */
export const sessionVersions = /* sql */ `
  alter table checkout_session add column version integer not null default 1;
  alter table checkout_session add column shipping_options jsonb not null default '[]';
  alter table checkout_session add column shipping_option text;
  alter table checkout_session add column discounts jsonb not null default '[]';
  alter table checkout_session add column tax_amount bigint;
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
    insert into public.search_term (account_no, livemode, term, object_id)
    select new.account_no, new.livemode, term, new.id
    from public.search_terms_of_session(new.customer, new.metadata, new.description, new.line_items);
    return null;
  end
  $$;
  create trigger session_stays_searchable after update of metadata, description, line_items on checkout_session
    for each row execute function follow_search_terms_of_session();
`;
