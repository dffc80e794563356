/**
 * The work of `oriel listen`: every event of the walk to one address, in order, one at a time, at least once.
 *
 * ```
 *  ask ---- nothing new: a second's pause ----> ask
 *   |  \--- the API is away: growing pauses --> ask
 *   v
 *  send --- no answer: pauses, for as long as it takes --------> send
 *   |   \-- an answer other than 2xx:
 *   |        nothing was taken in this run: as long as it takes > send
 *   |        otherwise: tried again a few times, then given up -> send, or below
 *   v
 *  keep the cursor -> ask
 * ```
 * Until something was taken, what is refused is more likely a wrong secret or address than a bad event, and costs no
 * event. The cursor is kept after the merchant's server has answered and never before, so whatever ends this process,
 * the next one begins with the event that was not answered yet. The walk is asked for one event at a time: its answer's
 * cursor is the place right behind that event, which an event's id is not (an event that was redelivered stands in the
 * walk twice).
 */
import { ApiUnavailable } from "../test-mode-api.ts";
import type { Answered, OutgoingEvent, Receipt } from "./post-event.ts";

/** One step of the walk. */
export interface Step {
  /** Null: there is nothing new. */
  event: OutgoingEvent | null;
  /** Behind the event. */
  cursor: string;
}

/** The world outside. Whatever waits in it rejects when the signal is aborted, or comes back soon. */
export interface Forwarding {
  /** @throws ApiUnavailable when it is worth asking again */
  step(after: string): Promise<Step>;
  isWanted(type: string): boolean;
  send(event: OutgoingEvent): Promise<Receipt>;
  keep(cursor: string): void;
  /** Rejects when the signal is aborted. */
  pause(ms: number): Promise<void>;
  signal: AbortSignal;
  report: Report;
}

/** What the developer is told. */
export interface Report {
  /** The walk answers for the first time. */
  ready(): void;
  apiAway(reason: string): void;
  apiBack(): void;
  /** Once for each reason until there is an answer. */
  silent(event: OutgoingEvent, reason: string): void;
  /** Each time; where it waits, once for each status. */
  answered(event: OutgoingEvent, receipt: Answered, outcome: Outcome): void;
}

/** `waits`: sent again until it is taken, because nothing was taken in this run; `again`: one of a few more tries. */
export type Outcome = { kind: "taken" } | { kind: "waits" | "again"; pauseMs: number } | { kind: "given up" };

/** What happened in one run. */
interface Run {
  hasTaken: boolean;
  givenUp: number;
}

const idleMs = 1_000;
/** Between two events: fifty questions a second leave the account's rate limit to the shop. */
const busyMs = 20;
const longestApiPauseMs = 10_000;
const longestSilencePauseMs = 5_000;
const longestWaitMs = 10_000;
/** After an answer other than 2xx. Short, because all later events wait behind this one, and a developer watches. */
const refusalPausesMs = [1_000, 2_000, 5_000];

/**
 * Until the signal is aborted. Nothing is kept before the API has accepted `from`.
 *
 * @returns how many events were given up
 * @throws OperatorError for what waiting does not cure
 */
export async function forwardEvents(forwarding: Forwarding, from: string): Promise<number> {
  const { signal, report } = forwarding;
  const run: Run = { hasTaken: false, givenUp: 0 };
  let cursor = from;
  let isReady = false;
  try {
    for (;;) {
      const step = await ask(forwarding, cursor);
      if (!isReady) {
        forwarding.keep(step.event === null ? step.cursor : cursor);
        report.ready();
        isReady = true;
      }
      if (step.event !== null && forwarding.isWanted(step.event.type)) await deliver(forwarding, step.event, run);
      if (step.cursor !== cursor) forwarding.keep(step.cursor);
      cursor = step.cursor;
      await forwarding.pause(step.event === null ? idleMs : busyMs);
    }
  } catch (error) {
    if (!signal.aborted) throw error;
    return run.givenUp;
  }
}

async function ask({ step, pause, signal, report }: Forwarding, after: string): Promise<Step> {
  for (let failures = 0; ; failures++) {
    try {
      const next = await step(after);
      if (failures > 0) report.apiBack();
      return next;
    } catch (error) {
      if (signal.aborted || !(error instanceof ApiUnavailable)) throw error;
      if (failures === 0) report.apiAway(error.message);
      await pause(Math.max(growing(failures, longestApiPauseMs), Math.min(error.retryAfterSeconds, 60) * 1_000));
    }
  }
}

/** Comes back when it was answered and there is no more to try. */
async function deliver({ send, pause, signal, report }: Forwarding, event: OutgoingEvent, run: Run): Promise<void> {
  let refusals = 0;
  let silences = 0;
  let lastTold = "";
  for (;;) {
    const receipt = await send(event);
    if (receipt.kind === "silent") {
      signal.throwIfAborted(); // Then this side ended it.
      if (receipt.reason !== lastTold) report.silent(event, receipt.reason);
      lastTold = receipt.reason;
      await pause(growing(silences++, longestSilencePauseMs));
      continue;
    }
    const outcome = outcomeOf(receipt.status, refusals++, run.hasTaken);
    const told = `HTTP ${receipt.status}`;
    if (outcome.kind !== "waits" || told !== lastTold) report.answered(event, receipt, outcome);
    lastTold = told;
    if (outcome.kind === "taken") run.hasTaken = true;
    if (outcome.kind === "given up") run.givenUp++;
    if (!("pauseMs" in outcome)) return;
    await pause(outcome.pauseMs);
  }
}

function outcomeOf(status: number, earlierRefusals: number, hasTaken: boolean): Outcome {
  if (status >= 200 && status < 300) return { kind: "taken" };
  if (!hasTaken) return { kind: "waits", pauseMs: growing(earlierRefusals, longestWaitMs) };
  const pauseMs = refusalPausesMs[earlierRefusals];
  return pauseMs === undefined ? { kind: "given up" } : { kind: "again", pauseMs };
}

/** 1 s, 2 s, 4 s, ... */
function growing(earlier: number, longestMs: number): number {
  return Math.min(longestMs, 1_000 * 2 ** Math.min(earlier, 10));
}
