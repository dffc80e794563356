/** Starts a real PostgreSQL once for the projects that need one. */
import type { TestProject } from "vitest/node";
import { startPostgres } from "./postgres.ts";

declare module "vitest" {
  interface ProvidedContext {
    database: "pglite" | "postgres";
    postgresUrl: string | null;
  }
}

export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  if (project.config.provide.database !== "postgres") {
    project.provide("postgresUrl", null);
    return async () => {};
  }
  const postgres = await startPostgres();
  project.provide("postgresUrl", postgres.url);
  return postgres.stop;
}
