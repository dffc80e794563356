/**
 * Decides whether a process should get work: it can write to the database, and it isn't stopping. The API's own port
 * and the metrics port use the same result, so probes of both cost one write.
 *
 * A process stays ready while a worker of a Citus cluster is missing, because the other accounts still need it. The
 * response names the missing worker.
 */
import type { Vault } from "@oriel/vault";
import type { PlatformContext } from "../platform/context.ts";
import { createWriteCheck } from "../platform/storage/write-check.ts";

export type ReadinessResponse =
  | { code: 200; body: { status: "ok"; missing_nodes?: readonly string[] } }
  | { code: 503; body: { status: "unavailable"; reason: "database" | "stopping" } };

export interface Readiness {
  check(): Promise<ReadinessResponse>;
  /** From now on, the process isn't ready. */
  stop(): void;
}

/** @param vault if it has a database of its own */
export function createReadiness(
  context: Pick<PlatformContext, "db" | "nodes" | "now" | "log">,
  vault: Pick<Vault, "checkWrites"> | null,
): Readiness {
  const canWrite = createWriteCheck(context, vault);
  let isStopping = false;
  return {
    async check() {
      if (isStopping) return unavailable("stopping");
      if (!(await canWrite())) return unavailable("database");
      const { missing } = context.nodes;
      return { code: 200, body: { status: "ok", ...(missing.length > 0 && { missing_nodes: missing }) } };
    },
    stop: () => void (isStopping = true),
  };
}

function unavailable(reason: "database" | "stopping"): ReadinessResponse {
  return { code: 503, body: { status: "unavailable", reason } };
}
