/**
 * The bare loop: the recorded statements, each on the heels of the one before, on one connection for each client,
 * prepared as the service prepares them. Nothing else is done.
 */
import type pg from "pg";
import { PreparingClient } from "../../packages/server/src/platform/storage/preparing-client.ts";
import { valueParser } from "../../packages/server/src/platform/storage/values.ts";
import { valuesAnew, type Recording } from "./recording.ts";

export interface Replay {
  /** Runs all of them once. @throws Error where one does not the work that it did when it was recorded */
  run(): Promise<void>;
  close(): Promise<void>;
}

/** @param subject in the place of the recorded one */
export async function openReplay(databaseUrl: string, recording: Recording, subject: string): Promise<Replay> {
  const types = { getTypeParser: valueParser as typeof pg.types.getTypeParser };
  const client: pg.Client = new PreparingClient({ connectionString: databaseUrl, types });
  client.on("error", () => {}); // lost when a failed run stops PostgreSQL; the run reports what failed
  await client.connect();
  return {
    async run() {
      const values = valuesAnew(recording, subject);
      for (const [n, { text, rows }] of recording.statements.entries()) {
        const { rowCount } = await client.query(text, values[n]);
        if ((rowCount ?? 0) !== rows)
          throw new Error(`The replay is not what was recorded: ${rowCount} rows instead of ${rows} by ${text}`);
      }
    },
    close: () => client.end(),
  };
}
