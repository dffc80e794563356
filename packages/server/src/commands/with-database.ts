/**
 * The database for one command. On PostgreSQL the service may run meanwhile; a PGlite directory is one process's, and
 * its lock says so.
 */
import { readDatabaseChoice } from "../platform/config.ts";
import { OperatorError } from "../platform/operator-error.ts";
import { requireRightClock } from "../platform/clock.ts";
import { openDatabase, type Database } from "../platform/storage/database.ts";
import { pendingMigrations } from "../platform/storage/migrate.ts";
import { sayIfLost } from "../platform/storage/say-if-lost.ts";

/**
 * A command does not change the tables under a service that runs, unless that is what it is for.
 *
 * @throws OperatorError
 */
export async function withDatabase<T>(env: NodeJS.ProcessEnv, work: (database: Database) => Promise<T>): Promise<T> {
  return await withAnyDatabase(env, async (database) => {
    const pending = await pendingMigrations(database.db);
    if (pending.length > 0) {
      throw new OperatorError(
        `The database's tables are not up to date (${pending.join(", ")}). Run \`oriel migrate\` first.`,
      );
    }
    return await work(database);
  });
}

/** Whatever state its tables are in. */
export async function withAnyDatabase<T>(env: NodeJS.ProcessEnv, work: (database: Database) => Promise<T>): Promise<T> {
  const database = await openDatabase(readDatabaseChoice(env));
  try {
    return await sayIfLost("during this command", async () => {
      await requireRightClock(database); // what the command writes has this machine's time
      return await work(database);
    });
  } finally {
    await database.close();
  }
}
