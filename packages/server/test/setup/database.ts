/**
 * Starts a real PostgreSQL once for the projects that need one, creates all tables in a database that tests copy, and
 * prepares the recording of statements. In watch mode, restart Vitest after you change the tables.
 */
import type { TestProject } from "vitest/node";
import { openDatabase } from "../../src/platform/storage/database.ts";
import { migrate } from "../../src/platform/storage/migrate.ts";
import { storedFunctions } from "../../src/stored-functions.ts";
import { createClusterTemplate, readCluster, type Cluster } from "./citus.ts";
import { createDatabase } from "./create-database.ts";
import { postgres15, startPostgres } from "./postgres.ts";
import { prepareRecording } from "./statement-recording.ts";

declare module "vitest" {
  interface ProvidedContext {
    database: "pglite" | "postgres" | "postgres-15" | "citus";
    postgresUrl: string | null;
    cluster: Cluster | null;
    /** The name of an empty database. */
    emptyTemplate: string;
    /** The name of a database with all tables and no rows. */
    migratedTemplate: string | null;
    /** Null: nothing is recorded. */
    recordingDirectory: string | null;
  }
}

export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const { database } = project.config.provide;
  project.provide("recordingDirectory", database === "postgres" ? prepareRecording() : null);
  project.provide("cluster", null);
  project.provide("emptyTemplate", "template1");
  if (database === "citus") return await setUpCluster(project);
  if (database !== "postgres" && database !== "postgres-15") {
    project.provide("postgresUrl", null);
    project.provide("migratedTemplate", null);
    return async () => {};
  }
  const postgres = await startPostgres(database === "postgres-15" ? { bin: postgres15 } : {});
  project.provide("postgresUrl", postgres.url);
  const { url, name, drop } = await createDatabase(postgres.url);
  await migrateAt(url);
  project.provide("migratedTemplate", name);
  return async () => {
    await drop();
    await postgres.stop();
  };
}

async function setUpCluster(project: TestProject): Promise<() => Promise<void>> {
  const url = process.env["ORIEL_CITUS_URL"];
  if (url === undefined) throw new Error("Set ORIEL_CITUS_URL to the URL of a database on the coordinator.");
  const cluster = await readCluster(url);
  const empty = await createClusterTemplate(cluster, async () => {});
  const migrated = await createClusterTemplate(cluster, migrateAt);
  project.provide("postgresUrl", url);
  project.provide("cluster", cluster);
  project.provide("emptyTemplate", empty.name);
  project.provide("migratedTemplate", migrated.name);
  return async () => {
    await migrated.drop();
    await empty.drop();
  };
}

async function migrateAt(url: string): Promise<void> {
  const database = await openDatabase({ kind: "postgres", url });
  await migrate(database, storedFunctions);
  await database.close();
}
