/**
 * A database with all tables, created once and copied for each test. Creating it in every process would cost seconds of
 * CPU time.
 */
import { cpSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { inject } from "vitest";
import type { Closers } from "../../../../scripts/test/closers-for.ts";
import { openDatabase } from "../../src/platform/storage/database.ts";
import { migrate } from "../../src/platform/storage/migrate.ts";
import { storedFunctions } from "../../src/stored-functions.ts";
import { freshDatabase } from "./test-service.ts";

export interface DatabaseTemplate {
  /** @returns the environment that a process with that data directory needs to find its copy */
  copyTo(dataDir: string, closers: Closers): Promise<NodeJS.ProcessEnv>;
  close(): Promise<void>;
}

export async function makeDatabaseTemplate(): Promise<DatabaseTemplate> {
  const migrated = inject("migratedTemplate");
  return migrated === null ? await makeOnPglite() : onPostgres(migrated);
}

function onPostgres(migrated: string): DatabaseTemplate {
  return {
    async copyTo(_dataDir, closers) {
      const copy = await freshDatabase(closers, migrated);
      return copy.kind === "postgres" ? { DATABASE_URL: copy.url } : {};
    },
    async close() {},
  };
}

async function makeOnPglite(): Promise<DatabaseTemplate> {
  const fresh = await freshDatabase([]); // in memory, so there's nothing to remove
  if (fresh.kind !== "pglite") throw new Error("Bug: this project's PostgreSQL has no template");
  const directory = mkdtempSync(join(tmpdir(), "oriel-template-"));
  const database = await openDatabase({ ...fresh, directory });
  await migrate(database, storedFunctions);
  await database.close();
  return {
    async copyTo(dataDir) {
      cpSync(directory, join(dataDir, "pglite"), { recursive: true });
      return {};
    },
    close: async () => rmSync(directory, { recursive: true, force: true }),
  };
}
