/** The fields of the first log line, which says what runs and where. */
import pg from "pg";
import type { Config } from "../platform/config.ts";
import type { DatabaseChoice } from "../platform/storage/database.ts";
import { version } from "@oriel/commands/version";

export function describeProcess(
  config: Pick<Config, "role" | "live" | "checkoutOrigin" | "dashboardOrigin" | "apiUrl" | "database">,
) {
  return {
    version,
    role: config.role,
    mode: config.live ? "live" : "test",
    checkout: config.checkoutOrigin,
    dashboard: config.dashboardOrigin,
    api: config.apiUrl,
    database: nameOf(config.database),
  };
}

/** Without the user and the password. */
function nameOf(database: DatabaseChoice): string {
  if (database.kind === "pglite") return "embedded";
  const { host, database: name } = new pg.Client({ connectionString: database.url }); // reads the URL and doesn't connect
  return `${host}/${name ?? ""}`;
}
