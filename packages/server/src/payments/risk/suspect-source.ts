/**
 * Whether the address or the session of a payment is suspect: it has used up its own tokens for cards that failed, so it gets
 * none of the account's (`bucket.ts`). After two tokens within a day it gets no more, unless as many cards have paid there.
 */
const dayMs = 24 * 60 * 60 * 1000;
/** The tokens that one address or session may use without paying within a day. */
const tokensPerSource = 2;
/** A try without an outcome counts for this long. After that, its process died before there was a payment. */
const undecidedMs = 60 * 60 * 1000;
/**
 * The latest tries of an address or session that are looked at, at any account. By default, an address can't have more in a
 * day (`ip_tries`).
 */
const triesPerSource = 1500;

/**
 * The tries from a source, without those of the same card in the session. A try is committed before its payment is admitted,
 * and counts as failed until it's decided, so simultaneous payments don't get more tokens. Each row is looked up by its key:
 * as a join, PostgreSQL might read all tries of the account.
 */
const otherTries = (source: string) => /* sql */ `
  select own.* from (${source}) as tried cross join lateral (
    select session_id, fingerprint, outcome = 'approved' as is_approved, amount from card_try
    where account_no = :account_no and livemode = :livemode and decision_id = tried.decision_id
      and fingerprint is not null and (session_id, fingerprint) is distinct from (:session_id, :fingerprint)
      and (outcome in ('declined', 'approved') or outcome = 'pending' and created_at > :undecided_since::timestamptz)
    limit 1
  ) as own`;

/** A card that fails counts once in each session, as it takes one token there. A card that pays counts once. */
const hasUsedTokens = (source: string) => /* sql */ `(
  select count(distinct (session_id, fingerprint)) filter (where not is_approved) >= greatest(:allowed::integer,
    1 + count(distinct fingerprint) filter (where is_approved and amount > 0))
  from (${otherTries(source)}) as other
)`;

/**
 * The condition for a statement with `account_no`, `livemode`, `session_id`, `fingerprint`, `decision_id` and
 * {@link sourceValues}. An address is compared over all accounts, but only this account's tries count.
 */
export const sourceIsSuspect = /* sql */ `(
  ${hasUsedTokens(`
    select decision_id from shared_try
    where livemode = :livemode and created_at > :since::timestamptz
      and network = (select network from shared_try where decision_id = :decision_id::text)
    order by created_at desc limit :tries::integer`)}
  or ${hasUsedTokens(`
    select decision_id from card_try
    where account_no = :account_no and livemode = :livemode and session_id = :session_id and created_at > :since
    order by created_at desc limit :tries`)}
)`;

export function sourceValues(now: Date) {
  return {
    since: new Date(now.getTime() - dayMs),
    undecided_since: new Date(now.getTime() - undecidedMs),
    allowed: tokensPerSource,
    tries: triesPerSource,
  };
}
