/**
 * Allows canceling a charge whose outcome is unknown. From then on, its authorization is no longer sent
 * (`payments/attempts/send-limits.ts`).
 */
export const withdrawnAttempts = `
  alter table attempt add column withdrawn_at timestamptz;
`;
