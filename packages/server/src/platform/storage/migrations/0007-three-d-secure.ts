/**
 * 3-D Secure whole: results that are waited for, banks that ask elsewhere, and a bank that wants the customer after
 * all.
 *
 * - An `authentication` in `awaiting_result` was over in the browser, and waits a few seconds for the bank's word; one
 *   that is `decoupled` waits for the customer to answer in the bank's app. `asked` says how the customer was asked,
 *   null where nobody asked.
 * - What a browser brought back (`browser_hint`) is written down and decides nothing. `rreq_digest` is of the bank's
 *   word, so that a repeated one can be told from another; one that came after the end is a `late_result`, which
 *   changes nothing.
 * - A decision has a second authentication, and its charge a second authorisation (or its card a second verification),
 *   where the bank declined the first for want of one: the step-up. There is one at most. Should it fail, the consumed
 *   decision says why in `decline_code`. `method_id` names the authentication whose 3DS Method serves for it too.
 */
export const threeDSecure = `
  alter table authentication
    drop constraint authentication_status_check,
    add check (status in ('method', 'authenticating', 'challenge', 'awaiting_result', 'decoupled', 'complete')),
    drop constraint authentication_decision_id_key,
    add column is_step_up   boolean not null default false,
    add column method_id    text references authentication,
    add column asked        text check (asked in ('challenge', 'decoupled')),
    add column browser_hint text,
    add column rreq_digest  bytea,
    add column late_result  jsonb,
    add unique (decision_id, is_step_up);
  update authentication set asked = 'challenge' where acs_url is not null;
  alter table authentication
    add check (status not in ('challenge', 'awaiting_result', 'decoupled') or asked is not null),
    add check (late_result is null or (status = 'complete' and rreq_digest is not null));

  alter table attempt add column is_step_up boolean not null default false check (not is_step_up or kind in ('authorize', 'verify'));
  drop index attempt_one_per_decision;
  create unique index attempt_one_per_decision on attempt (decision_id, is_step_up) where kind in ('authorize', 'verify');
`;
