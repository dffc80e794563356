/**
 * A `checkout_session` says in which language its page speaks and how it looks; null where it leaves that to the
 * browser and to the host page.
 */
export const sessionLook = `
  alter table checkout_session
    add column locale text,
    add column appearance jsonb;
`;
