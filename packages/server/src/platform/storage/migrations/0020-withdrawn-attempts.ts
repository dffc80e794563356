/**
 * A charge whose outcome is not known can be canceled: its authorization is not sent any more from then on
 * (`payments/attempts/last-send.ts`).
 */
export const withdrawnAttempts = `
  alter table attempt add column withdrawn_at timestamptz;
`;
