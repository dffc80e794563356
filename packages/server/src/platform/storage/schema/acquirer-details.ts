/**
 * The third version of the schema: what the acquirer says about an attempt, as it says it. `acquirer_id` is its own ID,
 * which later attempts refer to. `network_transaction_id` is the card network's. `refusal_code` and `refusal_reason` are
 * in the words of the acquirer or the issuer; `decline_code` is our translation. Null if the acquirer doesn't say it.
 *
 * Processes of the second version can run meanwhile. Attempts that they end have nulls.
 */
export const acquirerDetails = `
  alter table attempt
    add column acquirer_id text,
    add column authorization_code text,
    add column avs_result text,
    add column cvc_result text,
    add column network_transaction_id text,
    add column refusal_code text,
    add column refusal_reason text;
`;
