/** Updates the database schema. */
import type { Command } from "@oriel/commands";
import { distributeDatabase, migrate } from "../platform/storage/migrate.ts";
import { storedFunctions } from "../stored-functions.ts";
import { withAnyDatabase } from "./with-database.ts";

export const migrateCommand: Command = {
  name: "migrate",
  takes: [],
  options: { distribute: { value: null } },
  summary: "Update the database schema",
  details: `The command is safe to run repeatedly and concurrently. \`oriel-server serve\` also does this when it starts.

Options
  --distribute  in a Citus cluster, distribute the tables by account although there are accounts. Stop all processes first.`,
  async run({ isOn, env, print }) {
    await withAnyDatabase(env, async (database) => {
      await migrate(database, storedFunctions);
      if (isOn("distribute")) await distributeDatabase(database, storedFunctions);
    });
    print("The database schema is up to date.");
  },
};
