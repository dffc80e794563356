/**
 * Indexes for reading what needs attention about one charge, and the disputes with a status. Without them, all of an
 * account's rows were read.
 *
 * Processes of the earlier versions can run meanwhile. They use the indexes too.
 */
export const attentionAndDisputeLookups = /* sql */ `
  create index attention_by_charge on attention (account_no, livemode, charge_id) where charge_id is not null;
  create index dispute_by_status on dispute (account_no, livemode, status, id);
`;
