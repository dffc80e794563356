/**
 * The fifteenth version of the schema: columns with the names that the code uses.
 *
 * - An attempt's `calls`, `next_call_at` and `first_called_at` are about the calls to the acquirer. `claimed_until` is when
 *   the claim of the process that is calling it ends.
 * - The `flow` of an authentication is null if it was frictionless. `result_requested_at` is when a missing result was last
 *   requested.
 * - `empty_notified_at` is when the merchant was last notified of a bucket without tokens.
 *
 * Processes of the earlier version can't run meanwhile or afterwards. `docs/deploy.md` says so.
 */
export const plainColumnNames = /* sql */ `
  alter table attempt rename column times_asked to calls;
  alter table attempt rename column next_ask_at to next_call_at;
  alter table attempt rename column first_asked_at to first_called_at;
  alter table attempt rename column asking_until to claimed_until;
  alter index attempt_next_ask_at_idx rename to attempt_next_call_at_idx;
  alter table authentication rename column asked to flow;
  alter table authentication rename constraint authentication_asked_check to authentication_flow_check;
  alter table authentication rename column result_asked_at to result_requested_at;
  alter table admission rename column told_empty_at to empty_notified_at;

  -- From PostgreSQL 18 on, "not null" is a constraint with a name.
  do $$
  declare old record;
  begin
    for old in
      select conname as name, replace(replace(conname, 'times_asked', 'calls'), 'next_ask_at', 'next_call_at') as new_name
      from pg_constraint
      where conrelid = 'attempt'::regclass and conname in ('attempt_times_asked_not_null', 'attempt_next_ask_at_not_null')
    loop
      execute format('alter table attempt rename constraint %I to %I', old.name, old.new_name);
    end loop;
  end
  $$;
`;
