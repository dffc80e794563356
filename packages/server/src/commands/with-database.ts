/**
 * Opens the database for one command. On PostgreSQL the service may be running at the same time. An embedded database
 * is locked to one process.
 */
import { OperatorError } from "@oriel/commands/operator-error";
import { requireRightClock } from "../platform/clock.ts";
import { readDatabaseChoice } from "../platform/config.ts";
import { sayIfLost } from "../platform/storage/database-loss.ts";
import { openDatabase, type Database } from "../platform/storage/database.ts";
import { pendingChanges } from "../platform/storage/migrate.ts";
import { storedFunctions } from "../stored-functions.ts";

/**
 * Refuses to run on an outdated schema, because only `migrate` and `account create` may change it under a running
 * service.
 *
 * @throws OperatorError
 */
export async function withDatabase<T>(env: NodeJS.ProcessEnv, work: (database: Database) => Promise<T>): Promise<T> {
  return await withAnyDatabase(env, async (database) => {
    const pending = await pendingChanges(database, storedFunctions);
    if (pending.length > 0) {
      throw new OperatorError(
        `The database schema is out of date (${pending.join(", ")}). Run \`oriel-server migrate\` first.`,
      );
    }
    return await work(database);
  });
}

/** Like `withDatabase`, but accepts any schema version. */
export async function withAnyDatabase<T>(env: NodeJS.ProcessEnv, work: (database: Database) => Promise<T>): Promise<T> {
  const database = await openDatabase(readDatabaseChoice(env));
  try {
    return await sayIfLost("during this command", async () => {
      await requireRightClock(database); // the command writes timestamps from this machine
      return await work(database);
    });
  } finally {
    await database.close();
  }
}
