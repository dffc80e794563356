/** Starts a real PostgreSQL once for the vault's tests. */
import type { TestProject } from "vitest/node";
import { startPostgres } from "../../server/test/setup/postgres.ts";

export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const postgres = await startPostgres();
  project.provide("postgresUrl", postgres.url);
  return postgres.stop;
}
