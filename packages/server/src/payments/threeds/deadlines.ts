/** How long each state of an authentication may last. */

/** The directory server has ten seconds; a process that has not written its answer down by then is not going to. */
export const askingMs = 30 * 1000;
/**
 * A customer has ten minutes for a challenge, or in the bank's app; the grace lets the ACS's own time-out arrive first.
 */
export const customerMs = 10 * 60 * 1000 + 30 * 1000;
/** How long the RReq may take once the browser is back. It is sent before the browser is. */
export const awaitingMs = 10 * 1000;

export function deadlineIn(ms: number, now: Date): Date {
  return new Date(now.getTime() + ms);
}
