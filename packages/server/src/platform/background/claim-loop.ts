/**
 * Claims due work, one search at a time: every second, when a transaction announces new work, and when finished work
 * frees capacity. The caller counts the claimed work and waits for it.
 */
import type { PlatformContext } from "../context.ts";
import { stackOf } from "../stack-of.ts";
import type { Database } from "../storage/database.ts";
import { listen } from "../storage/listen.ts";

const pollMs = 1_000;
/**
 * How far the clocks of two processes may differ (`clock.ts`). A worker whose clock is behind must find work when it's
 * announced, not at the next poll. So a retry can be this much too early.
 */
export const clockDifferenceMs = 250;

export interface ClaimLoop {
  /** Searches now, or once more if a search is in progress. */
  claimSoon(): void;
  isClaiming(): boolean;
  /** @param channel announces new work */
  start(database: Database, channel: string): Promise<void>;
  /** Stops claiming and waits for a search in progress. */
  stop(): Promise<void>;
}

/**
 * @param what for the log, such as "deliveries"
 * @param claim starts the work that is due, as far as there is capacity, and returns whether it found any. It's called
 *   until none is due.
 */
export function createClaimLoop(
  { log }: Pick<PlatformContext, "log">,
  what: string,
  { hasCapacity, claim }: { hasCapacity(): boolean; claim(): Promise<boolean> },
): ClaimLoop {
  let claiming: Promise<void> | null = null;
  let claimAgain = false;
  let isStopping = false;
  let timer: NodeJS.Timeout | undefined;
  let stopListening = async () => {};

  function claimSoon(): void {
    claimAgain = true;
    if (isStopping || claiming !== null) return;
    claiming = claimDue()
      .catch((error: unknown) => {
        log.error({ error: stackOf(error) }, `Failed to look for due ${what}; trying again in one second`);
      })
      .finally(() => {
        claiming = null;
        if (claimAgain && hasCapacity()) claimSoon(); // more was announced in the meantime
      });
  }

  async function claimDue(): Promise<void> {
    while (claimAgain && hasCapacity()) {
      if (isStopping) return;
      claimAgain = false;
      if (await claim()) claimAgain = true;
    }
  }

  return {
    claimSoon,
    isClaiming: () => claiming !== null,
    async start(database, channel) {
      stopListening = await listen(database, channel, claimSoon);
      timer = setInterval(claimSoon, pollMs);
      claimSoon();
    },
    async stop() {
      isStopping = true;
      clearInterval(timer);
      await stopListening();
      await claiming;
    },
  };
}
