/**
 * The seventh version of the schema: the trigger that enters an attempt in the ledger no longer leaves out an attempt
 * whose acquirer's ID belongs to another attempt's entry. It's entered with our ID then. Without that, one acquirer that
 * returns the same ID for several refunds of a charge would hide all but the first.
 *
 * Processes of the sixth version can run meanwhile. They never call the trigger themselves.
 */
export const everyAttemptInLedger = /* sql */ `
  create or replace function enter_attempt_in_ledger() returns trigger language plpgsql as $$
  begin
    insert into public.ledger_entry
      (account_no, livemode, charge_id, kind, reference, amount, currency, attempt_id, created_at)
    select new.account_no, new.livemode, charge.id,
      case when new.kind in ('refund', 'reverse') then 'refund' else 'capture' end,
      coalesce(new.acquirer_id, new.id),
      case when new.kind in ('refund', 'reverse') then -new.amount else new.amount end,
      charge.currency, new.id, new.finished_at
    from public.charge
    where charge.account_no = new.account_no and charge.livemode = new.livemode and charge.id = new.charge_id
      and (
        new.kind in ('capture', 'refund')
        or (new.kind = 'authorize' and charge.capture_method = 'automatic')
        or (new.kind = 'reverse' and new.reversal = 'refund')
      )
    on conflict do nothing;
    if not found and new.kind in ('capture', 'refund', 'reverse') then
      insert into public.ledger_entry
        (account_no, livemode, charge_id, kind, reference, amount, currency, attempt_id, created_at)
      select new.account_no, new.livemode, other.charge_id, other.kind, new.id,
        case new.kind when 'capture' then new.amount else -new.amount end, other.currency, new.id, new.finished_at
      from public.ledger_entry as other
      where other.account_no = new.account_no and other.livemode = new.livemode and other.charge_id = new.charge_id
        and other.kind = case new.kind when 'capture' then 'capture' else 'refund' end
        and other.reference = new.acquirer_id and other.attempt_id <> new.id
        and (new.kind <> 'reverse' or new.reversal = 'refund')
      on conflict do nothing;
    end if;
    return null;
  end
  $$;
`;
