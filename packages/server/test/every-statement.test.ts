/**
 * Prepares every statement that the API tests sent to PostgreSQL on another database: PGlite, or the oldest PostgreSQL
 * that Oriel supports. So a statement that only a newer PostgreSQL understands is found without running all tests
 * there.
 */
import { afterAll, beforeAll, expect, it } from "vitest";
import { closersFor } from "../../../scripts/test/closers-for.ts";
import { openDatabase, type Database, type DatabaseChoice } from "../src/platform/storage/database.ts";
import { migrate } from "../src/platform/storage/migrate.ts";
import { startPostgres } from "./setup/postgres.ts";
import { readRecording } from "./setup/statement-recording.ts";
import { freshDatabase } from "./setup/test-service.ts";

/** A recording of some files, or of one of two workers, has fewer statements. */
const fewest = 1_250;

const closers = closersFor(afterAll);
/** The database of the project. */
let database: Database;
/** The PostgreSQL of the recording, where the statements are known to work. */
let newest: Database;
beforeAll(async () => {
  database = await openMigrated(await freshDatabase(closers));
  const server = await startPostgres();
  closers.push(() => server.stop());
  newest = await openMigrated(await freshDatabase(closers, "template1", server.url));
});

async function openMigrated(choice: DatabaseChoice): Promise<Database> {
  const opened = await openDatabase(choice);
  closers.push(() => opened.close());
  await migrate(opened);
  return opened;
}

/** @returns the statements that can't be prepared, with the database's errors */
async function refused({ pool }: Database, statements: readonly string[]): Promise<Map<string, string>> {
  const errors = new Map<string, string>();
  for (const text of statements) {
    try {
      await pool.query(`prepare checked as ${text}`);
      await pool.query("deallocate all");
    } catch (error) {
      errors.set(text, String(error));
    }
  }
  return errors;
}

it("every statement of the service can be prepared", async () => {
  const recorded = readRecording();
  // Statements about a test's own tables can't be prepared there either.
  const ofTests = await refused(newest, recorded);
  const statements = recorded.filter((text) => !ofTests.has(text));
  expect(
    statements.length,
    "No complete recording of this source code was found. First run `npm test -- --only api`.",
  ).toBeGreaterThan(fewest);
  expect([...(await refused(database, statements))]).toEqual([]);
});

it("a statement that can't be prepared is detected", async () => {
  const unknown = "select no_such_column from charge where id = $1";
  expect([...(await refused(database, ["select id from charge where id = $1", unknown])).keys()]).toEqual([unknown]);
});
