/**
 * Starts a real PostgreSQL once for the projects that need one, creates all tables in a database that tests copy, and
 * prepares the recording of statements. In watch mode, restart Vitest after you change the tables.
 */
import type { TestProject } from "vitest/node";
import { openDatabase } from "../../src/platform/storage/database.ts";
import { migrate } from "../../src/platform/storage/migrate.ts";
import { createDatabase } from "./create-database.ts";
import { postgres15, startPostgres } from "./postgres.ts";
import { prepareRecording } from "./statement-recording.ts";

declare module "vitest" {
  interface ProvidedContext {
    database: "pglite" | "postgres" | "postgres-15";
    postgresUrl: string | null;
    /** The name of a database with all tables and no rows. */
    migratedTemplate: string | null;
    /** Null: nothing is recorded. */
    recordingDirectory: string | null;
  }
}

export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const { database } = project.config.provide;
  project.provide("recordingDirectory", database === "postgres" ? prepareRecording() : null);
  if (database !== "postgres" && database !== "postgres-15") {
    project.provide("postgresUrl", null);
    project.provide("migratedTemplate", null);
    return async () => {};
  }
  const postgres = await startPostgres(database === "postgres-15" ? { bin: postgres15 } : {});
  project.provide("postgresUrl", postgres.url);
  const { url, name, drop } = await createDatabase(postgres.url);
  const template = await openDatabase({ kind: "postgres", url });
  await migrate(template);
  await template.close();
  project.provide("migratedTemplate", name);
  return async () => {
    await drop();
    await postgres.stop();
  };
}
