/**
 * Two additions for recovery and health checks.
 *
 * - An `authentication` stores when a missing result was last requested, so that several processes don't request the
 *   same one at once.
 * - `write_check` is the table that `/readyz` writes to: one row, in the tables' own tablespace.
 */
export const recovery = `
  alter table authentication add column result_asked_at timestamptz;

  create table write_check (
    only_row   boolean primary key default true check (only_row),
    written_at timestamptz not null
  );
  insert into write_check (written_at) values (now());
`;
