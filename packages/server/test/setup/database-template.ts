/**
 * A database with all tables, created once and copied for each test. Creating it in every process would cost seconds of
 * CPU time.
 */
import { cpSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openDatabase } from "../../src/platform/storage/database.ts";
import { migrate } from "../../src/platform/storage/migrate.ts";
import { freshDatabase } from "./test-service.ts";

export interface DatabaseTemplate {
  /** @returns the environment that a process with that data directory needs to find its copy */
  copyTo(dataDir: string, closers: (() => Promise<unknown>)[]): Promise<NodeJS.ProcessEnv>;
  close(): Promise<void>;
}

export async function makeDatabaseTemplate(): Promise<DatabaseTemplate> {
  const directory = mkdtempSync(join(tmpdir(), "oriel-template-"));
  const closers = [async () => rmSync(directory, { recursive: true, force: true })];
  const fresh = await freshDatabase(closers);
  const choice = fresh.kind === "pglite" ? { ...fresh, directory } : fresh;
  const database = await openDatabase(choice);
  await migrate(database);
  await database.close();
  return {
    async copyTo(dataDir, copyClosers) {
      if (choice.kind === "pglite") {
        cpSync(directory, join(dataDir, "pglite"), { recursive: true });
        return {};
      }
      const copy = await freshDatabase(copyClosers, new URL(choice.url).pathname.slice(1));
      return copy.kind === "postgres" ? { DATABASE_URL: copy.url } : {};
    },
    async close() {
      for (const close of closers.reverse()) await close();
    },
  };
}
