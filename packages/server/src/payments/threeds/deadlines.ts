/** How long each state of an authentication may last. */

/**
 * The directory server has ten seconds to respond. If a process hasn't stored the response after 30 seconds, it never
 * will.
 */
export const directoryServerMs = 30 * 1000;
/** Ten minutes for a challenge or the issuer's app, plus a margin so that the ACS's own timeout arrives first. */
export const customerMs = 10 * 60 * 1000 + 30 * 1000;
/** How long the RReq may take after the browser returns. It's sent before the browser is redirected. */
export const resultMs = 10 * 1000;

export function deadlineIn(ms: number, now: Date): Date {
  return new Date(now.getTime() + ms);
}
