/** Only for tests that hang. Starting a process takes two seconds on an idle machine and twenty on a busy one. */
const patientMs = 60_000;

/**
 * Waits for something that the service does in the background: calls the function until it returns a value other than
 * null, and fails with a message after the time limit.
 */
export async function until<T>(
  what: string,
  poll: () => Promise<T | null> | T | null,
  withinMs = patientMs,
): Promise<T> {
  const giveUpAt = Date.now() + withinMs;
  for (;;) {
    const found = await poll();
    if (found !== null) return found;
    if (Date.now() >= giveUpAt) throw new Error(`Timed out after ${withinMs} ms waiting for ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
}
