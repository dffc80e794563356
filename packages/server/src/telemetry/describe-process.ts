/** The fields of the first log line, which says what runs and where. */
import { version } from "@oriel/commands/version";
import type { Config } from "../platform/config.ts";
import type { DatabaseChoice } from "../platform/storage/database.ts";
import { PrimaryClient } from "../platform/storage/primary-client.ts";

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
    ...databasesOf(config.database),
  };
}

function databasesOf(choice: DatabaseChoice): { database: string; vault_database?: string } {
  if (choice.kind === "pglite") return { database: "embedded" };
  const [database, vault] = [nameOf(choice.url), nameOf(choice.vaultUrl ?? choice.url)];
  return vault === database ? { database } : { database, vault_database: vault };
}

/** Without the user and the password. */
function nameOf(url: string): string {
  const { hosts, database } = new PrimaryClient({ connectionString: url }); // reads the URL and doesn't connect
  return `${hosts}/${database ?? ""}`;
}
