/**
 * The audit log: a hash chain that rows are only ever added to. Each row contains its number, counted from 1 without
 * gaps, and a hash of its contents and of the previous row. A row that was changed, removed or inserted no longer fits
 * its neighbors, and `merchants/audit/verify-chain.ts` finds it.
 *
 * - Triggers refuse changes, for every role except one that may drop the triggers, and set the number and the hashes, so
 *   that code can't omit or choose them.
 * - `audit_head` refers to the latest row. Adding a row locks it until the commit, which prevents gaps and forks but
 *   makes audited changes wait for each other. They are rare, and each adds its row as its last statement
 *   (`merchants/audit/audit-log.ts`). Only the trigger can change `audit_head`.
 * - The hashed text is unambiguous: each column is `<bytes>:<text>,` or, if null, `-,`.
 * - It outlives the objects it describes, so it has no foreign keys and refers to accounts by their public ID.
 *
 * A chain doesn't protect against someone who can drop the triggers and rewrite all rows, unless a head was saved
 * elsewhere before.
 */
export const audit = /* sql */ `
  create table audit_log (
    id            text primary key,
    account_id    text,
    actor         text not null,
    action        text not null,
    object_id     text,
    outcome       text not null check (outcome in ('done', 'refused')),
    details       jsonb not null,
    created_at    timestamptz not null,
    sequence      bigint not null unique,
    previous_hash bytea not null,
    hash          bytea not null
  );
  create index on audit_log (account_id, id);

  create table audit_head (
    only_row boolean primary key default true check (only_row),
    sequence bigint not null,
    hash     bytea not null
  );
  insert into audit_head (sequence, hash) values (0, decode(repeat('00', 32), 'hex'));

  create function audit_field(value text) returns text language sql stable as $$
    select coalesce(octet_length(convert_to(value, 'UTF8'))::text || ':' || value, '-') || ','
  $$;

  create function audit_hash(entry audit_log) returns bytea language sql stable as $$
    select sha256(convert_to(
      audit_field(entry.sequence::text)
      || audit_field(encode(entry.previous_hash, 'hex'))
      || audit_field(entry.id)
      || audit_field(entry.account_id)
      || audit_field(entry.actor)
      || audit_field(entry.action)
      || audit_field(entry.object_id)
      || audit_field(entry.outcome)
      || audit_field(entry.details::text)
      || audit_field(extract(epoch from entry.created_at)::text),
      'UTF8'))
  $$;

  create function append_to_audit_chain(entry audit_log) returns audit_log
  language plpgsql set search_path = public, pg_temp as $$
  declare
    head audit_head;
  begin
    select * into strict head from audit_head for update;
    entry.sequence := head.sequence + 1;
    entry.previous_hash := head.hash;
    entry.hash := audit_hash(entry);
    update audit_head set sequence = entry.sequence, hash = entry.hash;
    return entry;
  end
  $$;

  create function refuse_to_change_audit_log() returns trigger language plpgsql as $$
  begin
    raise exception 'The audit log is only ever added to.';
  end
  $$;
  create trigger audit_log_is_only_added_to before update or delete on audit_log
    for each row execute function refuse_to_change_audit_log();
  create trigger audit_log_is_not_emptied before truncate on audit_log
    for each statement execute function refuse_to_change_audit_log();

  create function chain_audit_log() returns trigger
  language plpgsql set search_path = public, pg_temp as $$
  begin
    return append_to_audit_chain(new);
  end
  $$;
  create trigger audit_log_is_chained before insert on audit_log
    for each row execute function chain_audit_log();

  create trigger audit_head_follows_the_log before insert or update or delete on audit_head
    for each row when (pg_trigger_depth() = 0) execute function refuse_to_change_audit_log();
  create trigger audit_head_is_not_emptied before truncate on audit_head
    for each statement execute function refuse_to_change_audit_log();
`;
