/** What happens later: the outcomes of modifications, and the notifications about what happened. */
import type { NotificationRequestItem } from "./messages.ts";
import { Schedule } from "./schedule.ts";

export interface Delays {
  /** From `received` to the outcome of a modification, and from a request to let it fail to the failure. */
  outcomeMs: number;
  /** From an outcome to its notification. */
  notificationMs: number;
  /** From an authorization to its automatic capture, besides the merchant's own delay. */
  captureMs: number;
}

/** A notification that is due, not signed yet. */
export interface Notification {
  due: Date;
  item: NotificationRequestItem;
}

export class Timeline {
  readonly #outcomes = new Schedule<(atMs: number) => void>();
  readonly #outbox = new Schedule<NotificationRequestItem>();
  /** Changes affect what is added from then on. */
  delays: Delays;

  constructor(delays: Partial<Delays> = {}) {
    this.delays = { outcomeMs: 1_000, notificationMs: 1_000, captureMs: 0, ...delays };
  }

  /** Runs all outcomes that are due, each with its own time. */
  advance(nowMs: number): void {
    for (let next; (next = this.#outcomes.takeNext(nowMs)) !== undefined;) next.value(next.dueMs);
  }

  /** Runs all outcomes, whether they're due or not. Those that they add wait as usual. */
  decideAll(nowMs: number): void {
    this.#outcomes.makeAllDue(nowMs);
    this.advance(nowMs);
  }

  /** Adds an outcome after `delayMs`. */
  decide(nowMs: number, outcome: (atMs: number) => void, delayMs: number = this.delays.outcomeMs): void {
    this.#outcomes.add(nowMs + delayMs, outcome);
  }

  notify(item: NotificationRequestItem, atMs: number): void {
    this.#outbox.add(atMs + this.delays.notificationMs, item);
  }

  /** Removes and returns the due notifications, in the order in which they became due. */
  takeDue(nowMs: number): Notification[] {
    this.advance(nowMs);
    return this.#outbox.takeDue(nowMs).map(({ dueMs, value }) => ({ due: new Date(dueMs), item: value }));
  }

  nextDue(): Date | null {
    const times = [this.#outcomes.nextDueMs(), this.#outbox.nextDueMs()].filter((time) => time !== null);
    return times.length === 0 ? null : new Date(Math.min(...times));
  }
}
