/**
 * - An `authentication` says when the bank was last asked for a result that had not arrived, so that several processes
 *   do not ask for the same one at once.
 * - `write_check` is what `/readyz` writes to: one row, in the tables' own place.
 */
export const recovery = `
  alter table authentication add column result_asked_at timestamptz;

  create table write_check (
    only_row   boolean primary key default true check (only_row),
    written_at timestamptz not null
  );
  insert into write_check (written_at) values (now());
`;
