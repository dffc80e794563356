/**
 * Waits for something that the service does on its own: asks again until the answer is not null, and fails with a
 * sentence when it stays null.
 */
export async function until<T>(what: string, ask: () => Promise<T | null> | T | null, withinMs = 20_000): Promise<T> {
  const giveUpAt = Date.now() + withinMs;
  for (;;) {
    const found = await ask();
    if (found !== null) return found;
    if (Date.now() >= giveUpAt) throw new Error(`Waited ${withinMs} ms in vain for ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
}
