/**
 * The service's time: the database's time at the last sync, plus the time this process's monotonic clock has counted
 * since. Processes that share a database agree within milliseconds, or tens of milliseconds if one was busy during its
 * sync. A wrong clock on one machine therefore doesn't expire idempotency keys or sessions early, or put wrong timestamps
 * on webhooks.
 *
 * A sync runs at startup, every minute, and whenever the machine's wall clock and monotonic clock drift apart: either
 * the wall clock was set, or the monotonic clock stood still while the machine was suspended. A sync is a single
 * statement that runs in parallel with requests and assumes the database read its clock in the middle of the round
 * trip. If a sync fails or takes too long, the previous one stays in use.
 *
 * A sync may move time backward: by milliseconds, because the middle of the round trip is an estimate, or by as much as
 * the database's clock was set back. Time isn't frozen until it catches up, because no lease or deadline would expire
 * in the meantime. Lists can therefore be out of order. Anything that needs an exact order uses a number from the
 * database.
 *
 * The database's clock is trusted. The machine's clock is used only by libraries that keep their own time: for
 * certificates, log timestamps, and better-auth's sessions, links and codes. A process refuses to start if the
 * machine's clock is off by more than 30 seconds, and logs an error if that happens later.
 */
import { sql } from "kysely";
import { OperatorError } from "@oriel/commands/operator-error";
import type { Log } from "./log.ts";
import { messageOf } from "./message-of.ts";
import type { Database } from "./storage/database.ts";

export interface Clock {
  now(): Date;
  /** Stops syncing. */
  stop(): void;
}

/** The clocks of the machine this process runs on. */
export interface MachineClocks {
  /** Unix time in milliseconds, according to the machine. */
  wallMs(): number;
  /** Milliseconds since an arbitrary moment. Only differences are meaningful. */
  monotonicMs(): number;
}

/** A reading of the database's clock, with monotonic times from before and after it. */
export interface TimeReading {
  databaseMs: number;
  sentAtMs: number;
  receivedAtMs: number;
}

export const machineClocks: MachineClocks = { wallMs: () => Date.now(), monotonicMs: () => performance.now() };

/** How far the machine's clock may differ from the database's. */
export const maxSkewMs = 30_000;
const syncEveryMs = 60_000;
/** The middle of a longer round trip is too inaccurate. */
const longestRoundTripMs = 5_000;
const startAttempts = 5;
/** NTP adjusts the wall clock in steps of milliseconds. A larger change is a jump. */
const jumpMs = 1_000;
/** After a jump, a failed sync is retried no sooner than this, by the next call of `now`. */
const pauseAfterFailureMs = 1_000;

/**
 * Starts the service's clock. With the embedded database, it is the machine's clock.
 *
 * @throws OperatorError when the machine's clock is off by more than 30 seconds
 */
export async function startClock(database: Database, log: Log, machine: MachineClocks = machineClocks): Promise<Clock> {
  if (database.choice.kind === "pglite") return { now: () => new Date(machine.wallMs()), stop() {} };
  return await followClock(() => readDatabaseTime(database, machine), log, machine);
}

/** @throws OperatorError */
export async function followClock(read: () => Promise<TimeReading>, log: Log, machine: MachineClocks): Promise<Clock> {
  const apartMs = () => machine.wallMs() - machine.monotonicMs();
  let base = { apartMs: apartMs(), reading: await firstReading(read) };
  const skewMs = skewOf(base.reading, machine);
  if (Math.abs(skewMs) > maxSkewMs) throw clockWrong(skewMs);

  let isSyncing = false;
  let failedAtMs = -Infinity;
  const hasJumpedFrom = (before: number) => Math.abs(apartMs() - before) > jumpMs;

  async function sync(): Promise<void> {
    if (isSyncing) return;
    isSyncing = true;
    failedAtMs = machine.monotonicMs(); // assume failure until the reading succeeds
    const before = apartMs();
    try {
      const reading = await read();
      // If the machine was suspended during the reading, its monotonic clock missed part of the round trip.
      if (isTooLong(reading) || hasJumpedFrom(before)) return;
      base = { apartMs: before, reading };
      failedAtMs = -Infinity;
      reportSkew(skewOf(reading, machine), log);
    } catch (error) {
      const details = { error: messageOf(error) };
      log.warn(details, "Couldn't read the time from the database, so the previous reading stays in use");
    } finally {
      isSyncing = false;
    }
  }

  const timer = setInterval(() => void sync(), syncEveryMs);
  return {
    now() {
      const monotonicMs = machine.monotonicMs();
      if (hasJumpedFrom(base.apartMs) && monotonicMs - failedAtMs >= pauseAfterFailureMs) void sync();
      return new Date(base.reading.databaseMs + monotonicMs - middleOf(base.reading));
    },
    stop: () => clearInterval(timer),
  };
}

/**
 * Checks the clock once, for a command, which ends before its clock could drift.
 *
 * @throws OperatorError when the machine's clock is off by more than 30 seconds
 */
export async function requireRightClock(database: Database, machine: MachineClocks = machineClocks): Promise<void> {
  if (database.choice.kind === "pglite") return;
  const skewMs = await readSkew(database, machine);
  if (Math.abs(skewMs) > maxSkewMs) throw clockWrong(skewMs);
}

/** How far the machine's clock is ahead of the database's, in milliseconds. */
export async function readSkew(database: Database, machine: MachineClocks = machineClocks): Promise<number> {
  return skewOf(await firstReading(() => readDatabaseTime(database, machine)), machine);
}

/** Uses a connection that is already open. Waiting for one would count toward the round trip. */
async function readDatabaseTime({ db }: Database, machine: MachineClocks): Promise<TimeReading> {
  return await db.connection().execute(async (connection) => {
    const sentAtMs = machine.monotonicMs();
    const { rows } = await sql<{ time: Date }>`select clock_timestamp() as time`.execute(connection);
    const receivedAtMs = machine.monotonicMs();
    const [row] = rows;
    if (row === undefined) throw new Error("Bug: the database returned no time");
    return { databaseMs: row.time.getTime(), sentAtMs, receivedAtMs };
  });
}

async function firstReading(read: () => Promise<TimeReading>): Promise<TimeReading> {
  for (let i = 0; i < startAttempts; i++) {
    const reading = await read();
    if (!isTooLong(reading)) return reading;
  }
  throw new OperatorError(
    `The database took more than ${longestRoundTripMs / 1000} seconds to return its time, ${startAttempts} times in a row. Try again when the database responds faster.`,
  );
}

function isTooLong({ sentAtMs, receivedAtMs }: TimeReading): boolean {
  return receivedAtMs - sentAtMs > longestRoundTripMs;
}

function middleOf({ sentAtMs, receivedAtMs }: TimeReading): number {
  return (sentAtMs + receivedAtMs) / 2;
}

function skewOf(reading: TimeReading, { wallMs, monotonicMs }: MachineClocks): number {
  return wallMs() - (reading.databaseMs + monotonicMs() - middleOf(reading));
}

function reportSkew(skewMs: number, log: Log): void {
  if (Math.abs(skewMs) <= maxSkewMs) return;
  log.error(
    { skew_ms: Math.round(skewMs) },
    `This machine's clock is ${describeSkew(skewMs)}. Payments use the database's time. Synchronize both clocks with NTP.`,
  );
}

function clockWrong(skewMs: number): OperatorError {
  return new OperatorError(
    `This machine's clock is ${describeSkew(skewMs)}. Synchronize both clocks with NTP, then try again.`,
  );
}

/** @example describeSkew(90_000_000) // "25 hours ahead of the database's" */
export function describeSkew(skewMs: number): string {
  return `${inWords(Math.abs(skewMs))} ${skewMs > 0 ? "ahead of" : "behind"} the database's`;
}

function inWords(ms: number): string {
  const seconds = Math.round(ms / 1000);
  if (seconds < 120) return `${seconds} seconds`;
  if (seconds < 2 * 3600) return `${Math.round(seconds / 60)} minutes`;
  if (seconds < 48 * 3600) return `${Math.round(seconds / 3600)} hours`;
  return `${Math.round(seconds / 86_400)} days`;
}
