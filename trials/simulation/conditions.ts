/**
 * How hostile a world is. Each seed has its own conditions: in some nothing goes wrong, in others nearly everything,
 * and in most only some of it. Rare combinations are then as likely as frequent ones.
 */
import type { Chance } from "../chance.ts";

/**
 * - `lost`: the request doesn't arrive.
 * - `late`: it arrives minutes later. There's no reply.
 * - `busy`: the acquirer refuses it with 500.
 * - `throttled`: the acquirer refuses it with 429, too many requests.
 * - `reply_lost`: it's processed, but no reply arrives.
 */
export type Fault = "lost" | "late" | "busy" | "throttled" | "reply_lost";

export interface Conditions {
  /** The probability that a process dies during an action. */
  deaths: number;
  /** The probability that the database refuses one of an action's statements, or loses its connection. */
  failedStatements: number;
  /** The probability that something else happens while a request is at the acquirer. */
  meanwhile: number;
  /** The probability of a second copy of a notification. */
  duplicates: number;
  /** The longest time from a notification to its delivery, in milliseconds. */
  longestDeliveryMs: number;
  /** The probability that a worker's step is delayed by minutes. */
  idleWorkers: number;
  /** The probability that a capture or refund fails after it was done. */
  lateFailures: number;
  /** The probability that what failed like this is done again. */
  repetitions: number;
  /** The probability that the acquirer releases an authorization that isn't captured. */
  expiries: number;
  /** The probability that a payment is disputed. */
  disputes: number;
  /** Whether requests for 3-D Secure alone arrive. Otherwise, few payments get to a second authorization. */
  sparesAuthentications: boolean;
  /** What happens to a request to the acquirer. Null: nothing. */
  faultOf(nowMs: number, chance: Chance): Fault | null;
}

const faults: readonly Fault[] = ["lost", "late", "busy", "throttled", "reply_lost"];

export function chooseConditions(chance: Chance, startMs: number): Conditions {
  const sometimes = (share: number, max: number) => (chance.happens(share) ? chance.next() * max : 0);
  const probability = sometimes(0.6, chance.pick([0.3, 0.9]));
  const possible = faults.filter(() => chance.happens(0.6));
  const outage = chance.happens(0.4) ? chooseOutage(chance, startMs) : null;
  return {
    deaths: sometimes(0.5, 0.4),
    failedStatements: sometimes(0.3, 0.4),
    meanwhile: sometimes(0.5, 0.6),
    duplicates: sometimes(0.5, 0.6),
    longestDeliveryMs: chance.pick([0, 2_000, 60_000, 30 * 60_000, 30 * 3_600_000]),
    idleWorkers: sometimes(0.3, 0.5),
    lateFailures: sometimes(0.4, 0.6),
    repetitions: chance.pick([0, 0.8]),
    expiries: sometimes(0.25, 0.8),
    disputes: sometimes(0.25, 0.6),
    sparesAuthentications: chance.happens(0.4),
    faultOf(nowMs, random) {
      if (outage !== null && nowMs >= outage.fromMs && nowMs < outage.toMs) return outage.fault;
      return possible.length > 0 && random.happens(probability) ? random.pick(possible) : null;
    },
  };
}

function chooseOutage(chance: Chance, startMs: number): { fromMs: number; toMs: number; fault: Fault } {
  const fromMs = startMs + chance.between(0, 3 * 60_000);
  return {
    fromMs,
    toMs: fromMs + chance.pick([30, 5 * 60, 15 * 60, 3600, 3 * 3600]) * 1000,
    fault: chance.pick(["lost", "late", "throttled", "reply_lost"]),
  };
}
