/** Updates the database schema. */
import pino from "pino";
import { openJobs } from "../platform/jobs/jobs.ts";
import { migrate } from "../platform/storage/migrate.ts";
import type { Command } from "@oriel/commands";
import { withAnyDatabase } from "./with-database.ts";

export const migrateCommand: Command = {
  name: "migrate",
  takes: [],
  options: {},
  summary: "Update the database schema",
  details:
    "The command is safe to run repeatedly and concurrently. `oriel-server serve` also does this when it starts.",
  async run({ env, print }) {
    await withAnyDatabase(env, async (database) => {
      await migrate(database);
      // Creates the queue's tables.
      await (await openJobs(database, { work: false, log: pino({ level: "error" }) })).close();
    });
    print("The database schema is up to date.");
  },
};
