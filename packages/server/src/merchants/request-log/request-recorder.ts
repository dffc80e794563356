/**
 * Writes requests into the request log without any of them waiting for it: they are collected in memory and written
 * together, once a second at most, a thousand at most, by one statement. What cannot be written is logged and given up:
 * a log must not take the service down with it. Beyond ten thousand that wait, the oldest are given up too.
 */
import { sql } from "kysely";
import type { PlatformContext } from "../../platform/context.ts";
import { stackOf } from "../../platform/stack-of.ts";
import type { Row } from "../../platform/storage/tables.ts";

export interface RequestRecorder {
  /** Takes no time. Holds no body, no query and no header. */
  record(request: Row<"request_log">): void;
  /** Writes what waits. Nothing is recorded afterwards. */
  close(): Promise<void>;
}

const everyMs = 1_000;
const batch = 1_000;
const maxWaiting = 10_000;

export function createRequestRecorder({ db, log }: Pick<PlatformContext, "db" | "log">): RequestRecorder {
  let waiting: Row<"request_log">[] = [];
  let dropped = 0;
  let isClosed = false;
  let timer: NodeJS.Timeout | null = null;
  let writing = Promise.resolve(true);

  return {
    record(request) {
      // Many at once: moving ten thousand up for each that is dropped would take time.
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
        log.warn({ requests: waiting.length }, "The rest of the request log could not be written");
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

  /** @returns whether it was written. Never throws */
  async function write(): Promise<boolean> {
    if (dropped > 0)
      log.warn(
        { requests: dropped },
        "Requests were left out of the request log: they came faster than they could be written",
      );
    dropped = 0;
    const rows = waiting.splice(0, batch);
    try {
      const written = JSON.stringify(rows); // one parameter, so that the statement is the same for any number of rows
      await sql`
        insert into request_log select * from json_populate_recordset(null::request_log, ${written}::json)`.execute(db);
      return true;
    } catch (error) {
      log.warn({ requests: rows.length, error: stackOf(error) }, "Requests could not be written into the request log");
      return false;
    }
  }
}
