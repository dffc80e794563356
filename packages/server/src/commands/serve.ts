/** `oriel serve` and `oriel migrate`. */
import pino from "pino";
import { readConfig } from "../config.ts";
import { openJobs } from "../jobs/jobs.ts";
import { serve } from "../serve.ts";
import { migrate } from "../storage/migrate.ts";
import { oneOf, type Command } from "./command.ts";
import { withAnyDatabase } from "./with-database.ts";

const roles = ["api", "worker", "all"] as const;

export const serveCommands: Command[] = [
  {
    name: "serve",
    takes: [],
    options: { role: { value: roles.join("|") } },
    summary: "run the service (default: all)",
    details: "api answers requests, worker sends webhooks and looks after payments, all does both. Ends with SIGTERM or Ctrl-C.",
    run: async ({ env, option }) => await serve(readConfig(env, oneOf("role", roles, option("role") ?? "all"))),
  },
  {
    name: "migrate",
    takes: [],
    options: {},
    summary: "bring the database's tables up to date",
    details: "Safe to repeat, and to run from several places at once. `oriel serve` does it too.",
    run: async ({ env, print }) => {
      await withAnyDatabase(env, async (database) => {
        await migrate(database);
        await (await openJobs(database, { work: false, log: pino({ level: "error" }) })).close(); // makes the queue's tables
      });
      print("The tables are up to date.");
    },
  },
];
