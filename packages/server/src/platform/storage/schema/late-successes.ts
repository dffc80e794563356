/**
 * The sixth version of the schema: a capture or refund that succeeds again after it had failed is a ledger entry of its own
 * kind (`capture_repeated`, `refund_repeated`), because the acquirer may report it with the same ID as the first one.
 *
 * Processes of the fifth version can run meanwhile. They write no such entries.
 */
export const lateSuccesses = /* sql */ `
  alter table ledger_entry drop constraint ledger_entry_kind_check,
    add constraint ledger_entry_kind_check check (kind in ('capture', 'capture_failed', 'capture_repeated', 'refund',
      'refund_failed', 'refund_reversed', 'refund_repeated', 'chargeback', 'chargeback_reversed', 'second_chargeback'));
`;
