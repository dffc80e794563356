/**
 * The main loop of `oriel listen`. It sends every event in the feed to one URL, in order, one at a time, at least once.
 *
 * ```
 *  fetch --- no new event: pause for 1 s -------> fetch
 *   |   \--- API unreachable: growing pauses ---> fetch
 *   v
 *  send ---- no response: pause ------------------------------> send
 *   |   \--- response other than 2xx:
 *   |          before the first 2xx of this run: pause -------> send
 *   |          after it: retry a few times, then skip --------> send, or below
 *   v
 *  save the cursor -> fetch
 * ```
 * Before the first 2xx, a rejection more likely means a wrong secret or URL than a bad event, so no event is skipped.
 * The cursor is saved only after the merchant's server has responded. If this process dies, the next one starts with
 * the first event that got no response. Events are fetched one at a time, because the cursor in the response marks the
 * position right after that event. An event ID doesn't: a redelivered event is in the feed twice.
 */
import { ApiRefusal, ApiUnavailable } from "../test-mode-api.ts";
import type { Responded, OutgoingEvent, Receipt } from "./post-event.ts";

/** One event from the feed. */
export interface Step {
  /** Null if there's no new event. */
  event: OutgoingEvent | null;
  /** The position after the event. */
  cursor: string;
}

/** The loop's dependencies. Anything that waits must reject soon after the signal aborts. */
export interface Forwarding {
  /** @throws ApiUnavailable if the request can be retried, ApiRefusal if the API or something else rejects it */
  step(after: string): Promise<Step>;
  isWanted(type: string): boolean;
  send(event: OutgoingEvent): Promise<Receipt>;
  save(cursor: string): void;
  /** Rejects when the signal aborts. */
  pause(ms: number): Promise<void>;
  signal: AbortSignal;
  report: Report;
}

/** Reports progress to the developer. */
export interface Report {
  /** Called after the first successful request to the API. */
  ready(): void;
  apiUnavailable(reason: string): void;
  apiBack(): void;
  /** Called once per reason until there's a response. */
  silent(event: OutgoingEvent, reason: string): void;
  /** Called for each response. While the outcome is `waits`, called once per status. */
  responded(event: OutgoingEvent, receipt: Responded, outcome: Outcome): void;
}

/**
 * `waits`: retried until accepted, because no event has been accepted yet in this run. A run that starts at `nextCursor`
 * skips the event. `again`: one of a limited number of retries.
 */
export type Outcome =
  | { kind: "accepted" | "skipped" }
  | { kind: "waits"; pauseMs: number; nextCursor: string }
  | { kind: "again"; pauseMs: number };

/** Counters for one run. */
interface Run {
  hasAccepted: boolean;
  skipped: number;
}

const idleMs = 1_000;
/** Pause between two events. 50 requests per second leave most of the account's rate limit to the shop. */
const busyMs = 20;
const longestApiPauseMs = 10_000;
const longestSilencePauseMs = 5_000;
const longestWaitMs = 10_000;
/** Pauses after a response other than 2xx. They're short, because later events wait and a developer is watching. */
const refusalPausesMs = [1_000, 2_000, 5_000];

/**
 * Runs until the signal aborts. Saves nothing before the API has accepted `from`.
 *
 * @returns how many events were skipped
 * @throws OperatorError if retrying can't help
 */
export async function forwardEvents(forwarding: Forwarding, from: string): Promise<number> {
  const { signal, report } = forwarding;
  const run: Run = { hasAccepted: false, skipped: 0 };
  let cursor = from;
  let isReady = false;
  try {
    for (;;) {
      const step = await fetchNext(forwarding, cursor, isReady);
      if (!isReady) {
        forwarding.save(step.event === null ? step.cursor : cursor);
        report.ready();
        isReady = true;
      }
      if (step.event !== null && forwarding.isWanted(step.event.type))
        await deliver(forwarding, step.event, step.cursor, run);
      if (step.cursor !== cursor) forwarding.save(step.cursor);
      cursor = step.cursor;
      await forwarding.pause(step.event === null ? idleMs : busyMs);
    }
  } catch (error) {
    if (!signal.aborted) throw error;
    return run.skipped;
  }
}

/** @param isKnown whether the API has responded before, so that its URL is right */
async function fetchNext({ step, pause, signal, report }: Forwarding, after: string, isKnown: boolean): Promise<Step> {
  for (let failures = 0; ; failures++) {
    try {
      const next = await step(after);
      if (failures > 0) report.apiBack();
      return next;
    } catch (error) {
      // A proxy in front of the API responds for it during a deployment, with a 404 or a maintenance page.
      const isProxy = isKnown && error instanceof ApiRefusal && error.code === null;
      if (signal.aborted || !(error instanceof ApiUnavailable || isProxy)) throw error;
      if (failures === 0) report.apiUnavailable(error.message);
      const retryAfterSeconds = error instanceof ApiUnavailable ? error.retryAfterSeconds : 0;
      await pause(Math.max(growing(failures, longestApiPauseMs), Math.min(retryAfterSeconds, 60) * 1_000));
    }
  }
}

/** Returns when the event is accepted or skipped. */
async function deliver(
  { send, pause, signal, report }: Forwarding,
  event: OutgoingEvent,
  nextCursor: string,
  run: Run,
): Promise<void> {
  let refusals = 0;
  let silences = 0;
  let lastReported = "";
  for (;;) {
    const receipt = await send(event);
    if (receipt.kind === "silent") {
      signal.throwIfAborted(); // The request failed because we aborted it.
      if (receipt.reason !== lastReported) report.silent(event, receipt.reason);
      lastReported = receipt.reason;
      await pause(growing(silences++, longestSilencePauseMs));
      continue;
    }
    const outcome = outcomeOf(receipt.status, refusals++, run.hasAccepted, nextCursor);
    const response = `HTTP ${receipt.status}`;
    if (outcome.kind !== "waits" || response !== lastReported) report.responded(event, receipt, outcome);
    lastReported = response;
    if (outcome.kind === "accepted") run.hasAccepted = true;
    if (outcome.kind === "skipped") run.skipped++;
    if (!("pauseMs" in outcome)) return;
    await pause(outcome.pauseMs);
  }
}

function outcomeOf(status: number, earlierRefusals: number, hasAccepted: boolean, nextCursor: string): Outcome {
  if (status >= 200 && status < 300) return { kind: "accepted" };
  if (!hasAccepted) return { kind: "waits", pauseMs: growing(earlierRefusals, longestWaitMs), nextCursor };
  const pauseMs = refusalPausesMs[earlierRefusals];
  return pauseMs === undefined ? { kind: "skipped" } : { kind: "again", pauseMs };
}

/** Doubles the pause: 1 s, 2 s, 4 s and so on. */
function growing(earlier: number, longestMs: number): number {
  return Math.min(longestMs, 1_000 * 2 ** Math.min(earlier, 10));
}
