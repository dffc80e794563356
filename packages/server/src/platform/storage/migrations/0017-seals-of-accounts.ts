/**
 * Signing secrets, applications and documents used to be sealed for their own id, and are sealed for their account too
 * from here on. The service's keys are not in the database, so this only lists what has to be sealed again; the next
 * start does it (`bind-seals.ts`) and empties the list.
 */
export const sealsOfAccounts = `
  create table seal_to_bind (
    kind text not null check (kind in ('webhook_endpoint', 'application', 'application_document')),
    id   text not null,
    primary key (kind, id)
  );

  insert into seal_to_bind select 'webhook_endpoint', id from webhook_endpoint where deleted_at is null;
  insert into seal_to_bind select 'application', id from application;
  insert into seal_to_bind select 'application_document', id from application_document;
`;
