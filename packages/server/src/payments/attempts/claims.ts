/**
 * The attempts that this process has claimed because it's calling the acquirer for them. A claim is short and is
 * renewed during the call. So if a process dies, the others notice within seconds, no matter how long the acquirer
 * takes.
 *
 * Only calls that take longer than a second are renewed, in one statement for each account. If a claim isn't renewed in
 * time because the machine stalled, a second process may call the acquirer too. That is harmless, because the acquirer
 * recognizes the attempt by its ID. The claim then belongs to the second process, as `calls` shows, and the first
 * process no longer renews or ends it.
 */
import { sql } from "kysely";
import type { PlatformContext } from "../../platform/context.ts";
import { ownedBy, type RowKey } from "../../platform/storage/owned-by.ts";
import { groupByOwner, perOwner } from "../../platform/storage/per-owner.ts";
import type { Row } from "../../platform/storage/tables.ts";
import { tenantOf } from "../../platform/tenant.ts";
import { claimSeconds, renewClaimEverySeconds } from "./deadlines.ts";

export interface Claims {
  /** Must be called for every claim. The returned function releases the claim. */
  hold(attempt: Pick<Row<"attempt">, keyof RowKey | "calls">): () => void;
}

type Claim = RowKey & { calls: number; since: number };

export function createClaims(context: Pick<PlatformContext, "db" | "nodes" | "now" | "log">): Claims {
  const held = new Set<Claim>();
  const everyMs = renewClaimEverySeconds * 1000;
  let timer: NodeJS.Timeout | undefined;
  let isRenewing = false;

  async function renew(): Promise<void> {
    const slow = [...held].filter(({ since }) => performance.now() - since >= everyMs);
    if (slow.length === 0 || isRenewing) return;
    isRenewing = true;
    await perOwner(context, "renew claims on attempts", groupByOwner(slow), (claims) => renewOwn(context, claims));
    isRenewing = false;
  }

  return {
    hold({ account_no, livemode, id, calls }) {
      const claim = { account_no, livemode, id, calls, since: performance.now() };
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

/** Renews claims of one owner. A locked attempt is skipped until the next renewal, because its lock could be long. */
async function renewOwn({ db, now }: Pick<PlatformContext, "db" | "now">, claims: [Claim, ...Claim[]]): Promise<void> {
  const ids = claims.map(({ id }) => id);
  const calls = claims.map((claim) => claim.calls);
  const isOwn = ownedBy(tenantOf(claims[0]));
  const held = db
    .selectFrom("attempt")
    .select("id")
    .where(isOwn)
    .where(sql<boolean>`(id, calls) in (select * from unnest(${ids}::text[], ${calls}::int[]))`)
    .where("status", "=", "processing");
  await db
    .updateTable("attempt")
    .set({ claimed_until: new Date(now().getTime() + claimSeconds * 1000) })
    .where(isOwn)
    .where("id", "in", held.forUpdate().skipLocked())
    .execute();
}
