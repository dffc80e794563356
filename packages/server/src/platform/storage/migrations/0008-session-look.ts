/**
 * A `checkout_session` sets the language and appearance of its page. Null leaves them to the browser and the merchant's
 * page.
 */
export const sessionLook = `
  alter table checkout_session
    add column locale text,
    add column appearance jsonb;
`;
