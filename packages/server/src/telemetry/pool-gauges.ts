/** The use of the connection pools, read when Prometheus scrapes the process. */
import type { Metrics } from "./metrics.ts";

/** What `pg.Pool` says about itself. */
export interface PoolCounts {
  totalCount: number;
  idleCount: number;
  waitingCount: number;
}

/** Null: the process has no such pool. PGlite has none, and the vault may share the service's. */
export type Pools = Record<"service" | "vault", PoolCounts | null>;

/** @returns a function that updates the gauge */
export function createPoolGauges(gauge: Metrics["poolConnections"], pools: Pools): () => void {
  return () => {
    for (const [pool, counts] of Object.entries(pools)) {
      if (counts === null) continue;
      gauge.set({ pool, state: "total" }, counts.totalCount);
      gauge.set({ pool, state: "idle" }, counts.idleCount);
      gauge.set({ pool, state: "waiting" }, counts.waitingCount);
    }
  };
}

/** @returns null for a pool without counts, such as PGlite's */
export function countsOf(pool: unknown): PoolCounts | null {
  const isCounting = typeof pool === "object" && pool !== null && "totalCount" in pool && "waitingCount" in pool;
  return isCounting ? (pool as PoolCounts) : null; // a `pg.Pool`, possibly of another copy of the library
}
