/**
 * Waits for something that the service does in the background: calls the function until it returns a value other than
 * null, and fails with a message after the time limit.
 */
export async function until<T>(what: string, ask: () => Promise<T | null> | T | null, withinMs = 20_000): Promise<T> {
  const giveUpAt = Date.now() + withinMs;
  for (;;) {
    const found = await ask();
    if (found !== null) return found;
    if (Date.now() >= giveUpAt) throw new Error(`Timed out after ${withinMs} ms waiting for ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
}
