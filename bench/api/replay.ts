/**
 * The bare loop: runs the recorded statements back to back, on one connection per client, prepared as the service
 * prepares them. Nothing else runs.
 */
import type pg from "pg";
import { PreparingClient } from "../../packages/server/src/platform/storage/preparing-client.ts";
import { valueParser } from "../../packages/server/src/platform/storage/values.ts";
import { valuesFor, type Recording } from "./recording.ts";

export interface Replay {
  /** Runs all statements once. @throws Error if a statement affects a different number of rows than in the recording */
  run(): Promise<void>;
  close(): Promise<void>;
}

/** @param subject - Used instead of the recorded subject. */
export async function openReplay(databaseUrl: string, recording: Recording, subject: string): Promise<Replay> {
  const types = { getTypeParser: valueParser as typeof pg.types.getTypeParser };
  const client: pg.Client = new PreparingClient({ connectionString: databaseUrl, types });
  // A failed run stops PostgreSQL, which closes the connection. The run itself reports the failure.
  client.on("error", () => {});
  await client.connect();
  return {
    async run() {
      const values = valuesFor(recording, subject);
      for (const [n, { text, rows }] of recording.statements.entries()) {
        const { rowCount } = await client.query(text, values[n]);
        if ((rowCount ?? 0) !== rows)
          throw new Error(`The replay differs from the recording: ${rowCount} rows instead of ${rows} for ${text}`);
      }
    },
    close: () => client.end(),
  };
}
