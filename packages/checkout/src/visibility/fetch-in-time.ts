/**
 * Fetches code or words, and does without them after a while. A browser remembers that a module failed to load, so in this document a failure is for
 * good; the next document asks again.
 */

/** Null when it cannot be had. Slower than `patienceMs`, and the customer is better off with a button than with a spinner. */
export async function fetchInTime<Code>(load: () => Promise<Code>, patienceMs = 20_000): Promise<Code | null> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const tooLate = new Promise<null>((resolve) => {
    timer = setTimeout(() => resolve(null), patienceMs);
  });
  const code = await Promise.race([load().catch(() => null), tooLate]);
  clearTimeout(timer);
  return code;
}
