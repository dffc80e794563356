/**
 * The bare loop: the recorded statements in direct succession, on one connection per client, prepared like the service
 * prepares them. Nothing else runs.
 */
import type pg from "pg";
import { PreparingClient } from "../../packages/server/src/platform/storage/preparing-client.ts";
import { valueParser } from "../../packages/server/src/platform/storage/values.ts";
import { valuesAnew, type Recording } from "./recording.ts";

export interface Replay {
  /** Runs all of them once. @throws Error if a statement affects a different number of rows than in the recording */
  run(): Promise<void>;
  close(): Promise<void>;
}

/** @param subject - Replaces the recorded subject. */
export async function openReplay(databaseUrl: string, recording: Recording, subject: string): Promise<Replay> {
  const types = { getTypeParser: valueParser as typeof pg.types.getTypeParser };
  const client: pg.Client = new PreparingClient({ connectionString: databaseUrl, types });
  // The connection is lost when a failed run stops PostgreSQL, and the run reports the failure.
  client.on("error", () => {});
  await client.connect();
  return {
    async run() {
      const values = valuesAnew(recording, subject);
      for (const [n, { text, rows }] of recording.statements.entries()) {
        const { rowCount } = await client.query(text, values[n]);
        if ((rowCount ?? 0) !== rows)
          throw new Error(`The replay differs from the recording: ${rowCount} rows instead of ${rows} for ${text}`);
      }
    },
    close: () => client.end(),
  };
}
