/**
 * The eighth version of the schema: authorizations without a CVC.
 *
 * An attempt is `without_cvc` if its requests have no CVC although the customer typed the card in for this payment: the
 * second authorization after a step-up, and one whose CVC was gone before the first request. So it can be repeated
 * exactly as it was. It's recorded before the first request.
 *
 * Processes of the seventh version can run meanwhile. They don't repeat such an authorization without its CVC.
 */
export const withoutCvc = /* sql */ `
  alter table attempt add column without_cvc boolean not null default false;
`;
