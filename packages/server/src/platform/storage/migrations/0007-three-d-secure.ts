/**
 * Complete 3-D Secure: delayed results, decoupled authentication and step-up.
 *
 * - An `authentication` in `awaiting_result` has ended in the browser, and waits a few seconds for the issuer's result.
 *   A `decoupled` one waits for the customer to approve in the issuer's app. `asked` says how the issuer authenticated
 *   the customer. Null: without asking.
 * - The browser's version of the result (`browser_hint`) is stored, but never decides the outcome. `rreq_digest`
 *   identifies the issuer's result, to tell a repeated message from a different one. A result that arrives after the
 *   end is stored as `late_result` and has no effect.
 * - Step-up: if the issuer declines the authorization (or verification) for lack of authentication, the decision gets a
 *   second authentication and the charge a second authorization (or the card a second verification). This happens at
 *   most once. If it fails, the consumed decision says why in `decline_code`. `method_id` names the authentication
 *   whose 3DS Method result is reused.
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
