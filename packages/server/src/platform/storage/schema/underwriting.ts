/**
 * Applications for live mode.
 *
 * - An account has at most one `application` that isn't rejected, and can submit another after a rejection. Its
 *   contents are sealed as a whole.
 * - An `application_transition` is a status change. Rows are added, but never changed.
 * - An `application_document` belongs to one application. Its content is in a separate table so that lists don't read
 *   it.
 * - `bank_account_set_by` and `bank_account_set_at` say who last set the bank account, and when. The account's owners
 *   see this before they submit.
 */
export const underwriting = /* sql */ `
  create table application (
    account_no          bigint not null references account,
    id                  text not null,
    status              text not null
      check (status in ('draft', 'submitted', 'in_review', 'needs_information', 'approved', 'rejected')),
    sealed_details      bytea not null,
    bank_account_set_by text,
    bank_account_set_at timestamptz,
    reason              text,
    created_at          timestamptz not null,
    submitted_at        timestamptz,
    decided_at          timestamptz,
    primary key (account_no, id)
  );
  create unique index on application (account_no) where status <> 'rejected';
  create index on application (status, submitted_at, id);
  create index on application (submitted_at, id);

  create table application_transition (
    account_no     bigint not null,
    application_id text not null,
    position       bigint generated always as identity,
    actor          text not null,
    from_status    text,
    to_status      text not null,
    reason         text,
    created_at     timestamptz not null,
    primary key (account_no, application_id, position),
    foreign key (account_no, application_id) references application
  );

  create table application_document (
    account_no     bigint not null,
    application_id text not null,
    id             text not null,
    kind           text not null check (kind in ('registration', 'identity', 'bank_statement', 'other')),
    type           text not null check (type in ('application/pdf', 'image/png', 'image/jpeg')),
    sealed_name    bytea not null,
    size           integer not null,
    created_at     timestamptz not null,
    primary key (account_no, id),
    foreign key (account_no, application_id) references application
  );
  create index on application_document (account_no, application_id, id);

  create table application_document_content (
    account_no  bigint not null,
    document_id text not null,
    sealed      bytea not null,
    primary key (account_no, document_id),
    foreign key (account_no, document_id) references application_document on delete cascade
  );
`;
