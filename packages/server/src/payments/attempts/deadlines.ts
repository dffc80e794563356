/**
 * How long an outcome can stay unknown. The outcome is known within {@link promisedSeconds} after the last process died
 * or the acquirer last failed to respond. This requires that a process with the role `worker` or `all` is running, that
 * the acquirer responds again, and that it was unavailable for less than five minutes. The acquirer's own response time
 * isn't included. The limit doesn't apply to what an acquirer only accepts, and for an acquirer without a lookup, only
 * as long as attempts are sent again (`send-limits.ts`).
 *
 * The limit is derived from these numbers:
 *
 * ```
 * the process in the call dies   its claim runs out           claimSeconds            4
 *                                a worker checks              recoverEverySeconds     1   = 5 per death
 *
 * the acquirer doesn't respond   the call times out           callSeconds            30
 *                                the pause before the next    longestPauseSeconds    20
 *                                a worker checks              recoverEverySeconds     1   = 51
 * ```
 * The next due time is in the row, not in a process. So if a process dies, that neither extends a pause nor
 * restarts the schedule.
 */

/** The limit that the tests and the chaos run enforce. */
export const promisedSeconds = 60;

/** The limit for one call to the acquirer: ten seconds for the lookup and twenty for the message. */
export const callSeconds = 30;

/** A claim runs out this long after its last renewal (`claims.ts`). */
export const claimSeconds = 4;
/** Another process takes over the attempt only after three renewals have failed or were late. */
export const renewClaimEverySeconds = 1;

/**
 * How often a worker checks for due attempts and for missing 3-D Secure results. The first check is at startup.
 */
export const recoverEverySeconds = 1;
/** How long a new attempt is left to the process that created it, which calls the acquirer at once unless it dies. */
export const firstCallSeconds = 2;

/**
 * The pauses between calls to the acquirer, in seconds. The next pause is the longest that isn't longer than the time
 * since the first call, so after an outage the next call takes no longer than the outage lasted. Calls for readers and
 * retries don't advance this schedule.
 */
export const pausesSeconds = [1, 2, 5, 10, 20, 5 * 60, 60 * 60, 24 * 60 * 60] as const;
/** The longest pause in the first five minutes after the first call. */
export const longestPauseSeconds = 20;

/**
 * How long after its creation an authorization may be sent. This is the lifetime of a decision. After that, the
 * customer may have paid another way.
 */
export const sendSeconds = 15 * 60;
/**
 * How long a message may take to reach the acquirer. Until then, the acquirer may not know an authorization that was
 * already sent.
 */
export const inFlightSeconds = 5 * 60;

/**
 * How long before the acquirer may forget an attempt it's sent for the last time, if outcomes are resolved by `replay`.
 * It covers {@link callSeconds} and the difference between two clocks.
 */
export const replayMarginSeconds = 60;
/** A person is notified of an acquirer that can't be used after this time, so that a rolling upgrade passes unnoticed. */
export const unusableSeconds = 5 * 60;
/**
 * How long after its first request an authorization is repeated, if outcomes are resolved by `replay`. It's shorter than
 * the life of a CVC, without which the request would be another one.
 */
export const repeatSeconds = 9 * 60;
/** A person is notified of an attempt whose outcome is still unknown this long after it was first sent. */
export const noticeHours = 24;
/** The same for a capture, cancellation or refund that the acquirer accepted. */
export const overdueDays = 7;
/** How long the reversal of a late approval by its ID waits for the outcome of an earlier one by our reference. */
export const earlierReversalSeconds = 60 * 60;

/** How soon a read may trigger another call after the acquirer didn't respond. */
export const readerPauseSeconds = 1;
