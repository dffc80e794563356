/** Updates the database schema. */
import type { Command } from "@oriel/commands";
import { migrate } from "../platform/storage/migrate.ts";
import { withAnyDatabase } from "./with-database.ts";

export const migrateCommand: Command = {
  name: "migrate",
  takes: [],
  options: {},
  summary: "Update the database schema",
  details:
    "The command is safe to run repeatedly and concurrently. `oriel-server serve` also does this when it starts.",
  async run({ env, print }) {
    await withAnyDatabase(env, migrate);
    print("The database schema is up to date.");
  },
};
