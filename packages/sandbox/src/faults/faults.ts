/**
 * The faults that the bank simulates: a list of rules in memory. The first rule that matches a request strikes. If none
 * matches, the card's built-in fault strikes, if it has one.
 *
 * | fault                            | the bank has done   | the client sees                            |
 * | -------------------------------- | ------------------- | ------------------------------------------ |
 * | `timeout_before` `timeout_after` | nothing, everything | no response, on a connection that stays open |
 * | `error_before` `error_after`     | nothing, everything | HTTP 500, which does not say which         |
 * | `down`                           | nothing             | a closed connection without a response      |
 * | `late`                           | everything          | the response, `ms` later                    |
 * | `answer_twice`                   | everything          | the response twice, back to back            |
 * | `garbage`                        | everything          | HTTP 200 and a body that isn't JSON         |
 *
 * A lookup changes nothing, so only {@link lookupFaults} can strike it. `answer_twice` with kind `result` sends a
 * challenge's result (RReq) twice. It's the only fault for results, and its rule must name that kind.
 */
import { operations } from "../acquirer/ledger-entry.ts";

export const faultNames = [
  "timeout_before",
  "timeout_after",
  "error_before",
  "error_after",
  "down",
  "late",
  "answer_twice",
  "garbage",
] as const;

export type FaultName = (typeof faultNames)[number];

const lookupFaults: readonly FaultName[] = ["timeout_before", "error_before", "down", "garbage"];

/** Requests that a fault can strike: the acquirer's operations, a lookup, and the report of a challenge's result. */
export const requestKinds = [...operations, "lookup", "result"] as const;

type RequestKind = (typeof requestKinds)[number];

export interface Rule {
  /** All conditions must match. An empty match covers everything except results. */
  match: {
    kind?: RequestKind;
    reference?: string;
    last4?: string;
    /** Greater than 0 and at most 1. Drawn for each matching request. */
    probability?: number;
  };
  fault: FaultName;
  /** Maximum number of strikes. */
  times?: number;
  /** Delay of `late`. */
  ms?: number;
}

/** A fault that strikes every authorization of a card. */
export interface CardFault {
  fault: FaultName;
  /** Number of strikes per reference. Absent: no limit. */
  times?: number;
}

/** The part of a request that rules can match. */
export interface FaultTarget {
  kind: RequestKind;
  /** For a result: its threeDSServerTransID. */
  reference: string;
  last4: string | null;
  cardFault?: CardFault | undefined;
}

export interface Strike {
  fault: FaultName;
  ms: number;
}

const maxRules = 1_000;
const maxReferences = 10_000;

export class Faults {
  readonly #random: () => number;
  readonly #lateMs: number;
  #rules: (Rule & { struck: number })[] = [];
  /** How often cards' own faults have struck, by reference, for the newest references. */
  readonly #cardStrikes = new Map<string, number>();

  constructor({
    random,
    lateMs,
  }: {
    /** From 0 (inclusive) to 1 (exclusive). */ random: () => number;
    lateMs: number;
  }) {
    this.#random = random;
    this.#lateMs = lateMs;
  }

  /** Appends rules. If one of them could never strike, adds none and returns a message. */
  add(rules: readonly Rule[]): string | null {
    for (const [index, rule] of rules.entries()) {
      const problem = problemOf(rule);
      if (problem !== null) return `body/rules/${index}: ${problem}`;
    }
    if (this.#rules.length + rules.length > maxRules)
      return `The bank stores at most ${maxRules} rules. DELETE the existing rules first.`;
    this.#rules.push(...rules.map((rule) => ({ ...rule, struck: 0 })));
    return null;
  }

  /** The rules, each with its number of strikes. */
  list(): (Rule & { struck: number })[] {
    return [...this.#rules];
  }

  clear(): void {
    this.#rules = [];
  }

  /** Returns the fault for this request and counts it as a strike. */
  strike(target: FaultTarget): Strike | null {
    const rule = this.#rules.find((candidate) => this.#fits(candidate, target));
    if (rule !== undefined) {
      rule.struck += 1;
      return { fault: rule.fault, ms: rule.ms ?? this.#lateMs };
    }
    const { reference, cardFault } = target;
    return cardFault !== undefined && this.#isDue(reference, cardFault)
      ? { fault: cardFault.fault, ms: this.#lateMs }
      : null;
  }

  /** The probability comes last, so that it's drawn only if everything else matches. */
  #fits({ match, fault, times, struck }: Rule & { struck: number }, target: FaultTarget): boolean {
    if (times !== undefined && struck >= times) return false;
    if (match.kind === undefined ? target.kind === "result" : match.kind !== target.kind) return false;
    if (target.kind === "lookup" && !lookupFaults.includes(fault)) return false;
    if (match.reference !== undefined && match.reference !== target.reference) return false;
    if (match.last4 !== undefined && match.last4 !== target.last4) return false;
    return match.probability === undefined || this.#random() < match.probability;
  }

  #isDue(reference: string, { times }: CardFault): boolean {
    if (times === undefined) return true;
    const struck = this.#cardStrikes.get(reference) ?? 0;
    this.#cardStrikes.set(reference, struck + 1);
    for (const oldest of this.#cardStrikes.keys()) {
      if (this.#cardStrikes.size <= maxReferences) break;
      this.#cardStrikes.delete(oldest);
    }
    return struck < times;
  }
}

/** Why a well-formed rule could never strike. */
function problemOf({ match, fault, ms }: Rule): string | null {
  if (ms !== undefined && fault !== "late") return "ms is allowed only for the fault late.";
  if (match.kind === "lookup" && !lookupFaults.includes(fault))
    return `a lookup supports only these faults: ${lookupFaults.join(", ")}.`;
  if (match.kind === "result" && fault !== "answer_twice") return "a result supports only the fault answer_twice.";
  if (match.kind === "result" && match.last4 !== undefined)
    return "a rule for results can match only by reference, which is the threeDSServerTransID.";
  return null;
}
