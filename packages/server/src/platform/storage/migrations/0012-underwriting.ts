/**
 * Applications for live mode.
 *
 * - An account has at most one `application` that isn't rejected, and can submit another after a rejection. Its
 *   contents are sealed as a whole.
 * - An `application_transition` is a status change. Rows are added, but never changed.
 * - An `application_document` belongs to one application. Its content is in a separate table so that lists don't read
 *   it.
 * - Operators search for accounts by the beginning of the name. The index uses byte order, so that a range works
 *   whatever the database's locale is.
 */
export const underwriting = `
  create table application (
    id             text primary key,
    account_id     text not null references account,
    status         text not null
      check (status in ('draft', 'submitted', 'in_review', 'needs_information', 'approved', 'rejected')),
    sealed_details bytea not null,
    reason         text,
    created_at     timestamptz not null,
    submitted_at   timestamptz,
    decided_at     timestamptz
  );
  create unique index on application (account_id) where status <> 'rejected';
  create index on application (account_id, id);
  create index on application (status, submitted_at, id);
  create index on application (submitted_at, id);

  create table application_transition (
    position       bigint generated always as identity primary key,
    application_id text not null references application,
    actor          text not null,
    from_status    text,
    to_status      text not null,
    reason         text,
    created_at     timestamptz not null
  );
  create index on application_transition (application_id, position);

  create table application_document (
    id             text primary key,
    application_id text not null references application,
    kind           text not null check (kind in ('registration', 'identity', 'bank_statement', 'other')),
    type           text not null check (type in ('application/pdf', 'image/png', 'image/jpeg')),
    sealed_name    bytea not null,
    size           integer not null,
    created_at     timestamptz not null
  );
  create index on application_document (application_id, id);

  create table application_document_content (
    document_id text primary key references application_document on delete cascade,
    sealed      bytea not null
  );

  create index on account (lower(name) collate "C", id);
`;
