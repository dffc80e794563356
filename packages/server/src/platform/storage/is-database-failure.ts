/**
 * Tells a database that is busy or gone from a bug: the caller of the first may come back in a moment. Whether the
 * request did anything is open; its Idempotency-Key makes it safe to send again.
 */

/**
 * PostgreSQL's codes: no connection (08), out of resources such as disk space (53), told to stop (57), read-only
 * because it is a standby (25006), its disk failed (58030), lock not to be had, and transactions that lost a race.
 */
const databaseCodes = /^(08...|53...|57P0.|57014|25006|58030|55P03|40001|40P01)$/;
const networkCodes = ["ECONNREFUSED", "ECONNRESET", "EPIPE", "ETIMEDOUT", "ENOTFOUND", "EAI_AGAIN"];
/** What `pg` and Kysely say without a code: no free connection in time, a server that vanished. */
const clientMessages =
  /^(timeout exceeded when trying to connect|Connection terminated|Query read timeout|Client has encountered a connection error|Postgres connection has been discarded)/;

export function isDatabaseFailure(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const code = "code" in error ? String(error.code) : "";
  return (
    isRefusedAsPrepared(error) ||
    databaseCodes.test(code) ||
    networkCodes.includes(code) ||
    clientMessages.test(error.message)
  );
}

/**
 * Before it was run: its result has other columns than when it was prepared (which no code of its own says, but the
 * place in PostgreSQL that no language changes), or there is no such statement on the connection, or another of that
 * name.
 */
export function isRefusedAsPrepared(error: unknown): boolean {
  if (!(error instanceof Error) || !("code" in error)) return false;
  const isOutdated = error.code === "0A000" && "routine" in error && error.routine === "RevalidateCachedQuery";
  return isOutdated || error.code === "26000" || error.code === "42P05";
}
