/**
 * Distinguishes a busy or unreachable database from a bug. In the first case the client can retry shortly. The request
 * may have taken effect, but its Idempotency-Key makes it safe to send again.
 */

/**
 * PostgreSQL's codes: no connection (08), out of resources such as disk space (53), canceled or shutting down (57),
 * read-only because it is a standby (25006), disk failure (58030), lock not available (55P03), and transactions that
 * lost a race (40). Citus's code: a result that one node sent to another is lost (CIINF).
 */
const databaseCodes = /^(08...|53...|57P0.|57014|25006|58030|55P03|40001|40P01|CIINF)$/;
const networkCodes =
  /^(ECONN(REFUSED|RESET|ABORTED)|EPIPE|ETIMEDOUT|E(HOST|NET)(UNREACH|DOWN)|ENETRESET|ENOTFOUND|EAI_AGAIN)$/;
/** Messages of `pg` and Kysely that have no code: no free connection in time, or a server that disappeared. */
const clientMessages =
  /^(timeout exceeded when trying to connect|Connection terminated|Query read timeout|Client has encountered a connection error|Client was closed|Postgres connection has been discarded)/;

/**
 * Citus reports these as internal errors: the connection to a node was lost, or an account's rows were being moved to
 * another node.
 */
const citusMessages =
  /^(failure on connection marked as essential|cannot execute a distributed query from a query on a shard)/;

export function isDatabaseFailure(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const code = "code" in error ? String(error.code) : "";
  return (
    isRefusedAsPrepared(error) ||
    databaseCodes.test(code) ||
    networkCodes.test(code) ||
    clientMessages.test(error.message) ||
    (code === "XX000" && citusMessages.test(error.message))
  );
}

/**
 * Whether PostgreSQL rejected a prepared statement before running it. Either the connection has no such statement, or a
 * different one with that name, or the result has different columns than when it was prepared. That last case has no
 * code of its own; the routine's name identifies it in every language.
 */
export function isRefusedAsPrepared(error: unknown): boolean {
  if (!(error instanceof Error) || !("code" in error)) return false;
  const isOutdated = error.code === "0A000" && "routine" in error && error.routine === "RevalidateCachedQuery";
  return isOutdated || error.code === "26000" || error.code === "42P05";
}
