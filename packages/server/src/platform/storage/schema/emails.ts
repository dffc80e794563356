/**
 * The twelfth version of the schema: the emails that haven't been sent yet.
 *
 * The row of an email is written in the transaction of the change that it reports, claimed by a worker as long as
 * `next_try_at` says (`merchants/emails/claim-emails.ts`), and deleted once the mail server has accepted the email, or
 * once it can't be sent anymore. So no email is lost with a process, and no text is kept after it was sent.
 *
 * - `queue` is the ID of the account that the email is about, or `sign-in` or `operators`. Queues take turns.
 * - `sealed_message` has the recipient, the subject and the text, which may contain a link that works once. It's sealed
 *   with the service's keys, so a copy of the database alone doesn't reveal links.
 * - `failure` is why the last attempt failed, as a code without any part of the email.
 * - After `expires_at` the email isn't sent anymore, because its link no longer works or the news is old.
 *
 * Processes of the earlier version can run meanwhile. They don't use the table, and send their own emails.
 */
export const emails = /* sql */ `
  create table email (
    id             text primary key,
    queue          text not null,
    sealed_message bytea not null,
    tries          integer not null default 0,
    failure        text,
    next_try_at    timestamptz not null,
    expires_at     timestamptz not null,
    created_at     timestamptz not null
  );
  create index on email (queue, next_try_at);
`;
