/**
 * The third version of the schema: the acquirer's details of an attempt. `acquirer_id` is its own ID, which later attempts
 * refer to. `network_transaction_id` is the card network's. `refusal_code` and `refusal_reason` are as returned by the
 * acquirer or the issuer, and `decline_code` is our translation. Null if the acquirer doesn't provide it.
 *
 * Processes of the second version can run meanwhile. Attempts that they end have nulls.
 */
export const acquirerDetails = /* sql */ `
  alter table attempt
    add column acquirer_id text,
    add column authorization_code text,
    add column avs_result text,
    add column cvc_result text,
    add column network_transaction_id text,
    add column refusal_code text,
    add column refusal_reason text;
`;
