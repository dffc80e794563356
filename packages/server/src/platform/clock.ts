/**
 * The service's time: the database's at the last sync, plus what this process's monotonic clock has counted since. All
 * processes of one database agree within milliseconds, and a machine whose clock is wrong doesn't forget an idempotency
 * key, expire a session or sign a webhook with a wrong timestamp.
 *
 * A sync runs at the start, every minute, and when the machine's two clocks move apart: the wall clock was set, or the
 * monotonic clock stood still while the machine was suspended. It is one statement, beside all requests, and takes the
 * middle of its round trip. If it fails or takes too long, the last one stays in use.
 *
 * Time may step backwards at a sync: by milliseconds, because the middle of a round trip is an estimate, and by as much
 * as the database's clock was set back. It isn't held until it has caught up, because leases and deadlines would stand
 * still for as long. Lists may then be out of order; whatever needs an exact order has a number in the database.
 *
 * Trusts the database's clock. The machine's own clock only serves what libraries time by themselves: certificates, log
 * timestamps, and the sessions, links and codes of better-auth. A process refuses to start if it is off by more than
 * half a minute, and logs an error if that happens later.
 */
import { sql } from "kysely";
import type { Log } from "./log.ts";
import { OperatorError } from "./operator-error.ts";
import type { Database } from "./storage/database.ts";

export interface Clock {
  now(): Date;
  /** Ends the syncs. */
  stop(): void;
}

/** The clocks of the machine that this process runs on. */
export interface MachineClocks {
  /** Milliseconds since 1970, as far as the machine knows. */
  wallMs(): number;
  /** Milliseconds since whenever: only differences count. */
  monotonicMs(): number;
}

/** One reading of the database's clock, between two of the machine's. */
export interface TimeReading {
  databaseMs: number;
  sentAtMs: number;
  receivedAtMs: number;
}

export const machineClocks: MachineClocks = { wallMs: () => Date.now(), monotonicMs: () => performance.now() };

/** How far the machine's clock may be from the database's. */
export const mostSkewMs = 30_000;
const syncEveryMs = 60_000;
/** The time in the middle of a longer one is too uncertain. */
const longestRoundTripMs = 5_000;
const startTries = 5;
/** The wall clock is disciplined by milliseconds; more than this in one go is a jump. */
const jumpMs = 1_000;
/** A sync after a jump that failed is tried again after this, if somebody wants to know the time. */
const pauseAfterFailureMs = 1_000;

/**
 * An embedded database has the machine's clock, so there the machine's is the service's.
 *
 * @throws OperatorError when the machine's clock is off by more than half a minute
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
  if (Math.abs(skewMs) > mostSkewMs) throw clockWrong(skewMs);

  let isSyncing = false;
  let failedAtMs = -Infinity;
  const hasJumpedFrom = (before: number) => Math.abs(apartMs() - before) > jumpMs;

  async function sync(): Promise<void> {
    if (isSyncing) return;
    isSyncing = true;
    failedAtMs = machine.monotonicMs(); // until it succeeds
    const before = apartMs();
    try {
      const reading = await read();
      // A machine that was suspended meanwhile has counted too little of the round trip.
      if (isTooLong(reading) || hasJumpedFrom(before)) return;
      base = { apartMs: before, reading };
      failedAtMs = -Infinity;
      reportSkew(skewOf(reading, machine), log);
    } catch (error) {
      const details = { error: error instanceof Error ? error.message : String(error) };
      log.warn(details, "Could not read the database's time; the last reading stays in use");
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

/** For a command, which ends before its clock could go wrong. @throws OperatorError */
export async function requireRightClock(database: Database, machine: MachineClocks = machineClocks): Promise<void> {
  if (database.choice.kind === "pglite") return;
  const skewMs = await readSkew(database, machine);
  if (Math.abs(skewMs) > mostSkewMs) throw clockWrong(skewMs);
}

/** By how much the machine's clock is ahead of the database's. */
export async function readSkew(database: Database, machine: MachineClocks = machineClocks): Promise<number> {
  return skewOf(await firstReading(() => readDatabaseTime(database, machine)), machine);
}

/** On a connection that is there already: to wait for one would count as half a round trip. */
async function readDatabaseTime({ db }: Database, machine: MachineClocks): Promise<TimeReading> {
  return await db.connection().execute(async (connection) => {
    const sentAtMs = machine.monotonicMs();
    const { rows } = await sql<{ time: Date }>`select clock_timestamp() as time`.execute(connection);
    const receivedAtMs = machine.monotonicMs();
    const [row] = rows;
    if (row === undefined) throw new Error("Bug: the database was asked for the time and did not answer");
    return { databaseMs: row.time.getTime(), sentAtMs, receivedAtMs };
  });
}

async function firstReading(read: () => Promise<TimeReading>): Promise<TimeReading> {
  for (let i = 0; i < startTries; i++) {
    const reading = await read();
    if (!isTooLong(reading)) return reading;
  }
  throw new OperatorError(
    `The database took more than ${longestRoundTripMs / 1000} seconds to tell its time, ${startTries} times in a row. Start again when it is faster.`,
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
  if (Math.abs(skewMs) <= mostSkewMs) return;
  log.error(
    { skew_ms: Math.round(skewMs) },
    `This machine's clock is ${tellSkew(skewMs)}. Payments use the database's time. Set both clocks with NTP.`,
  );
}

function clockWrong(skewMs: number): OperatorError {
  return new OperatorError(`This machine's clock is ${tellSkew(skewMs)}. Set both clocks with NTP, then start again.`);
}

/** @example tellSkew(90_000_000) // "25 hours ahead of the database's" */
export function tellSkew(skewMs: number): string {
  return `${inWords(Math.abs(skewMs))} ${skewMs > 0 ? "ahead of" : "behind"} the database's`;
}

function inWords(ms: number): string {
  const seconds = Math.round(ms / 1000);
  if (seconds < 120) return `${seconds} seconds`;
  if (seconds < 2 * 3600) return `${Math.round(seconds / 60)} minutes`;
  if (seconds < 48 * 3600) return `${Math.round(seconds / 3600)} hours`;
  return `${Math.round(seconds / 86_400)} days`;
}
