/**
 * Signing secrets, applications and documents were sealed for their own ID, and are now sealed for their account too.
 * The service's keys aren't in the database, so this only lists the records to seal again. `bind-seals.ts` does it at
 * the next startup and empties the list.
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
