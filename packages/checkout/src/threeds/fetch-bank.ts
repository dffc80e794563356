/**
 * Fetches the code that speaks with the bank, once. A browser remembers that a module failed to load, so in this document a failure is for good; the
 * next document asks again.
 */
import type { Bank, BankWorld } from "./bank.ts";

/** Slower than this and the customer is better off with a button than with a spinner. */
const patienceMs = 20_000;

/** The answer fetches with the first call; null when the code cannot be had. */
export function fetchBankOnce(
  load: () => Promise<{ createBank(world: BankWorld): Bank }>,
  world: BankWorld,
): () => Promise<Bank | null> {
  const fetchBank = async (): Promise<Bank | null> => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const tooLate = new Promise<null>((resolve) => {
      timer = setTimeout(() => resolve(null), patienceMs);
    });
    const code = await Promise.race([load().catch(() => null), tooLate]);
    clearTimeout(timer);
    return code && code.createBank(world);
  };
  let fetching: Promise<Bank | null> | null = null;
  return () => (fetching ??= fetchBank());
}
