/**
 * Columns of queued emails that say which ones are late, and what they're about. Processes of the earlier versions can run
 * meanwhile, and use none of them.
 *
 * - `due_at` is when the first attempt was due. Some emails wait on purpose before it. Null in rows of earlier versions.
 * - `refusals` counts the attempts since the last failure of the mail server that failed because of this email, such as for
 *   a full mailbox. It's 0 if the last failure was the server's. Pauses depend on it, so an email isn't late for as long
 *   as the server was down. Emails with refusals aren't late either: anyone can sign up with an address that is refused.
 * - `about` is the ID of the invitation whose link the email contains, so that revoking the invitation deletes the email.
 */
export const lateEmails = /* sql */ `
  alter table email
    add column due_at timestamptz,
    add column refusals integer not null default 0,
    add column about text;
  create index email_about on email (about) where about is not null;
`;
