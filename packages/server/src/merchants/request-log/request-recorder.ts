/**
 * Writes requests to the request log without delaying them. `http/routes/log-requests.ts` decides what a row has.
 * They are collected in memory and written at most once a second, up to a thousand per statement. If a write fails, a
 * warning is logged and the rows are dropped, so that the log can't take the service down. Rows of accounts whose
 * node is missing are dropped, too. When ten thousand rows are waiting, the oldest are dropped.
 */
import { sql } from "kysely";
import type { PlatformContext } from "../../platform/context.ts";
import { stackOf } from "../../platform/stack-of.ts";
import type { Row } from "../../platform/storage/tables.ts";

export interface RequestRecorder {
  /** Returns immediately. The row contains no body, query or header. */
  record(request: Row<"request_log">): void;
  /** Writes the waiting rows. No requests are recorded after this call. */
  close(): Promise<void>;
}

const batch = 1_000;
const maxWaiting = 10_000;

export function createRequestRecorder(
  { db, nodes, log }: Pick<PlatformContext, "db" | "nodes" | "log">,
  everyMs = 1_000,
): RequestRecorder {
  let waiting: Row<"request_log">[] = [];
  let dropped = 0;
  let isClosed = false;
  let timer: NodeJS.Timeout | null = null;
  let writing = Promise.resolve(true);

  return {
    record(request) {
      // Drops a whole batch, because `splice` on ten thousand rows is too slow to do for every request.
      if (waiting.length >= maxWaiting) dropped += waiting.splice(0, batch).length;
      waiting.push(request);
      wait();
    },
    async close() {
      isClosed = true;
      if (timer !== null) clearTimeout(timer);
      await writing;
      while (waiting.length > 0 && (await write())) continue;
      if (waiting.length > 0)
        log.warn({ requests: waiting.length }, "Failed to write the remaining request log entries");
      waiting = [];
    },
  };

  function wait(): void {
    if (isClosed) return;
    timer ??= setTimeout(() => {
      writing = write().finally(() => {
        timer = null;
        if (waiting.length > 0) wait();
      });
    }, everyMs).unref();
  }

  /** Writes a batch. Never throws. @returns whether it was written */
  async function write(): Promise<boolean> {
    if (dropped > 0)
      log.warn(
        { requests: dropped },
        "Dropped request log entries because requests arrived faster than they could be logged",
      );
    dropped = 0;
    const rows = waiting.splice(0, batch);
    try {
      const written = JSON.stringify(rows); // a single parameter, so that the statement is the same for any number of rows
      await nodes.ofAllAccounts(
        async (isReachable) =>
          await sql`
            insert into request_log select * from json_populate_recordset(null::request_log, ${written}::json)
            where ${isReachable()}
            on conflict do nothing`.execute(db), // an earlier try may have written them
      );
      return true;
    } catch (error) {
      log.warn({ requests: rows.length, error: stackOf(error) }, "Failed to write to the request log");
      return false;
    }
  }
}
