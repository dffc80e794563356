/**
 * How long an outcome can stay unknown. The promise: {@link promisedSeconds} after the last process died or the
 * acquirer last kept silent, the outcome is known, provided that a process with the role `worker` or `all` runs, the
 * acquirer answers, and it was silent for less than five minutes. The acquirer's own time to answer is not counted.
 *
 * The promise follows from the numbers in this file, and from nothing else:
 *
 * ```
 * the process that asks dies     its claim runs out           claimSeconds            4
 *                                a worker looks               lookEverySeconds        2   = 6; each further death costs as much again
 *
 * the acquirer keeps silent      the question gives up        questionSeconds        30
 *                                the pause before the next    longestPauseSeconds    20
 *                                its job was lost as well     overdueSeconds          2
 *                                a worker looks               lookEverySeconds        2   = 54
 * ```
 * The row, not a job and not a process, says when the next question is due, so no death makes a pause longer or starts
 * the schedule again.
 */

/** What the chaos run and the tests hold us to. */
export const promisedSeconds = 60;

/** How long one question to the acquirer may take: ten seconds for the lookup before it, and twenty for the message. */
export const questionSeconds = 30;

/** A claim runs out this long after its process last renewed it (`claims.ts`). */
export const claimSeconds = 4;
/** Three renewals may fail or come late before another process takes the attempt over. */
export const renewClaimEverySeconds = 1;

/**
 * How often a worker looks for attempts that nobody comes for, and for 3-D Secure results that did not arrive. The
 * first look is at the start.
 */
export const lookEverySeconds = 2;
/** An attempt that is due for this long is not coming by itself: its process died, or its job is lost. */
export const overdueSeconds = 2;

/**
 * Seconds until the acquirer is asked again: the longest of these that the attempt has already been open for. So after
 * a silence the acquirer is asked within the time that the silence lasted, and readers and retries meanwhile use
 * nothing up.
 */
export const pausesSeconds = [1, 2, 5, 10, 20, 5 * 60, 60 * 60, 24 * 60 * 60] as const;
/** The longest pause while the attempt has been open for less than five minutes. */
export const longestPauseSeconds = 20;

/**
 * How long an authorization may be sent after it was created: as long as a decision is valid. Later, the customer may
 * have paid another way.
 */
export const sendSeconds = 15 * 60;
/**
 * How long a message may take to reach the acquirer. Until then the acquirer may not know an authorization that was
 * sent.
 */
export const inFlightSeconds = 5 * 60;

/** How soon after an unanswered question a reader may have the acquirer asked again. */
export const readerPauseSeconds = 1;
