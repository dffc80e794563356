/** Starts a real PostgreSQL once for the projects that need one, and prepares the recording of its statements. */
import type { TestProject } from "vitest/node";
import { postgres15, startPostgres } from "./postgres.ts";
import { prepareRecording } from "./statement-recording.ts";

declare module "vitest" {
  interface ProvidedContext {
    database: "pglite" | "postgres" | "postgres-15";
    postgresUrl: string | null;
    /** Null: nothing is recorded. */
    recordingDirectory: string | null;
  }
}

export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const { database } = project.config.provide;
  project.provide("recordingDirectory", database === "postgres" ? prepareRecording() : null);
  if (database !== "postgres" && database !== "postgres-15") {
    project.provide("postgresUrl", null);
    return async () => {};
  }
  const postgres = await startPostgres(database === "postgres-15" ? { bin: postgres15 } : {});
  project.provide("postgresUrl", postgres.url);
  return postgres.stop;
}
