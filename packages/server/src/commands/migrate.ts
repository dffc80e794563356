/** `oriel migrate`. */
import pino from "pino";
import { openJobs } from "../platform/jobs/jobs.ts";
import { migrate } from "../platform/storage/migrate.ts";
import type { Command } from "./command.ts";
import { withAnyDatabase } from "./with-database.ts";

export const migrateCommand: Command = {
  name: "migrate",
  takes: [],
  options: {},
  summary: "bring the database's tables up to date",
  details: "Safe to repeat, and to run from several places at once. `oriel serve` does it too.",
  async run({ env, print }) {
    await withAnyDatabase(env, async (database) => {
      await migrate(database);
      await (await openJobs(database, { work: false, log: pino({ level: "error" }) })).close(); // makes the queue's tables
    });
    print("The tables are up to date.");
  },
};
