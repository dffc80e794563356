/**
 * The attempts that this process has claimed because it's calling the acquirer for them. A claim is short and is
 * renewed during the call. So if a process dies, the others notice within seconds, no matter how long the acquirer
 * takes.
 *
 * Only calls that take longer than a second are renewed, all in one statement. If a claim isn't renewed in time because
 * the machine stalled, a second process may call the acquirer too. That is harmless, because the acquirer recognizes
 * the attempt by its ID. The claim then belongs to the second process, as `times_asked` shows, and the first process no
 * longer renews or ends it.
 */
import { sql } from "kysely";
import type { PlatformContext } from "../../platform/context.ts";
import type { RowKey } from "../../platform/storage/owned-by.ts";
import type { Row } from "../../platform/storage/tables.ts";
import { claimSeconds, renewClaimEverySeconds } from "./deadlines.ts";

export interface Claims {
  /** Must be called for every claim. The returned function releases the claim. */
  hold(attempt: Pick<Row<"attempt">, keyof RowKey | "times_asked">): () => void;
}

export function keepClaims({ db, now, log }: Pick<PlatformContext, "db" | "now" | "log">): Claims {
  const held = new Set<RowKey & { timesAsked: number; since: number }>();
  const everyMs = renewClaimEverySeconds * 1000;
  let timer: NodeJS.Timeout | undefined;
  let isRenewing = false;

  async function renew(): Promise<void> {
    const slow = [...held].filter(({ since }) => performance.now() - since >= everyMs);
    if (slow.length === 0 || isRenewing) return;
    isRenewing = true;
    const accountNos = slow.map(({ account_no }) => account_no);
    const livemodes = slow.map(({ livemode }) => livemode);
    const ids = slow.map(({ id }) => id);
    const timesAsked = slow.map((claim) => claim.timesAsked);
    try {
      await db
        .updateTable("attempt")
        .set({ asking_until: new Date(now().getTime() + claimSeconds * 1000) })
        .where(
          sql<boolean>`(account_no, livemode, id, times_asked) in
            (select * from unnest(${accountNos}::bigint[], ${livemodes}::boolean[], ${ids}::text[], ${timesAsked}::int[]))`,
        )
        .where("status", "=", "processing")
        .execute();
    } catch (error) {
      const details = { attempts: slow.length, error: error instanceof Error ? error.message : String(error) };
      log.warn(details, "Failed to renew claims on attempts. Another process may run the same attempts");
    } finally {
      isRenewing = false;
    }
  }

  return {
    hold({ account_no, livemode, id, times_asked }) {
      const claim = { account_no, livemode, id, timesAsked: times_asked, since: performance.now() };
      held.add(claim);
      timer ??= setInterval(() => void renew(), everyMs).unref();
      return () => {
        held.delete(claim);
        if (held.size > 0) return;
        clearInterval(timer);
        timer = undefined;
      };
    },
  };
}
