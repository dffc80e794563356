/**
 * What the bank was told to do wrong. A list of rules, in memory, that ends with the process; the first rule that fits
 * a request strikes, then the fault that is built into the request's card, if it has one.
 *
 * | fault                            | the bank has done   | the client sees                            |
 * | -------------------------------- | ------------------- | ------------------------------------------ |
 * | `timeout_before` `timeout_after` | nothing, everything | no answer, on a connection that stays open |
 * | `error_before` `error_after`     | nothing, everything | HTTP 500, which does not say which         |
 * | `down`                           | nothing             | a connection that ends without an answer   |
 * | `late`                           | everything          | the answer, `ms` later                     |
 * | `answer_twice`                   | everything          | the answer twice, one right after another  |
 * | `garbage`                        | everything          | HTTP 200 and a body that is no JSON        |
 *
 * A lookup does nothing, so that only the faults in {@link lookupFaults} can strike it. `answer_twice` for the kind
 * `result` sends the result of a challenge (RReq) twice; it is the only fault of a result, and strikes only where a
 * rule names the kind.
 */
import { operations } from "../acquirer/book-entry.ts";

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

/**
 * What can go wrong: each of the acquirer's operations, a question about one, and telling the result of a challenge.
 */
export const askedKinds = [...operations, "lookup", "result"] as const;

type AskedKind = (typeof askedKinds)[number];

export interface Rule {
  /** All of it must fit; an empty one fits everything but a result. */
  match: {
    kind?: AskedKind;
    reference?: string;
    last4?: string;
    /** More than 0, at most 1. Drawn for each request that fits. */
    probability?: number;
  };
  fault: FaultName;
  /** How often it strikes at most. */
  times?: number;
  /** Of `late`. */
  ms?: number;
}

/** A fault that every authorisation of a card meets. */
export interface CardFault {
  fault: FaultName;
  /** How often under one reference; absent: always. */
  times?: number;
}

/** What the bank was asked, as far as a rule can see it. */
export interface Asked {
  kind: AskedKind;
  /** Of a result: its threeDSServerTransID. */
  reference: string;
  last4: string | null;
  cardFault?: CardFault | undefined;
}

export interface Strike {
  fault: FaultName;
  ms: number;
}

const maxRules = 1_000;
const maxReferencesKept = 10_000;

export class Faults {
  readonly #random: () => number;
  readonly #lateMs: number;
  #rules: (Rule & { struck: number })[] = [];
  /** How often a card's own fault has struck, by reference; the newest. */
  readonly #cardStrikes = new Map<string, number>();

  constructor({ random, lateMs }: { /** From 0 up to 1. */ random: () => number; lateMs: number }) {
    this.#random = random;
    this.#lateMs = lateMs;
  }

  /** Adds rules after those that are there. A sentence when one of them could never strike, and then none is added. */
  add(rules: readonly Rule[]): string | null {
    for (const [index, rule] of rules.entries()) {
      const why = whyNever(rule);
      if (why !== null) return `body/rules/${index}: ${why}`;
    }
    if (this.#rules.length + rules.length > maxRules)
      return `There are at most ${maxRules} rules. DELETE those that are there first.`;
    this.#rules.push(...rules.map((rule) => ({ ...rule, struck: 0 })));
    return null;
  }

  /** With how often each has struck. */
  list(): (Rule & { struck: number })[] {
    return [...this.#rules];
  }

  clear(): void {
    this.#rules = [];
  }

  /** What is to go wrong with this request; it counts as having gone wrong. */
  strike(asked: Asked): Strike | null {
    const rule = this.#rules.find((candidate) => this.#fits(candidate, asked));
    if (rule !== undefined) {
      rule.struck += 1;
      return { fault: rule.fault, ms: rule.ms ?? this.#lateMs };
    }
    const { reference, cardFault } = asked;
    return cardFault !== undefined && this.#isDue(reference, cardFault)
      ? { fault: cardFault.fault, ms: this.#lateMs }
      : null;
  }

  /** Chance comes last: it is asked only about what fits otherwise. */
  #fits({ match, fault, times, struck }: Rule & { struck: number }, asked: Asked): boolean {
    if (times !== undefined && struck >= times) return false;
    if (match.kind === undefined ? asked.kind === "result" : match.kind !== asked.kind) return false;
    if (asked.kind === "lookup" && !lookupFaults.includes(fault)) return false;
    if (match.reference !== undefined && match.reference !== asked.reference) return false;
    if (match.last4 !== undefined && match.last4 !== asked.last4) return false;
    return match.probability === undefined || this.#random() < match.probability;
  }

  #isDue(reference: string, { times }: CardFault): boolean {
    if (times === undefined) return true;
    const struck = this.#cardStrikes.get(reference) ?? 0;
    this.#cardStrikes.set(reference, struck + 1);
    for (const oldest of this.#cardStrikes.keys()) {
      if (this.#cardStrikes.size <= maxReferencesKept) break;
      this.#cardStrikes.delete(oldest);
    }
    return struck < times;
  }
}

/** Why a rule, though well formed, could never do what it says. */
function whyNever({ match, fault, ms }: Rule): string | null {
  if (ms !== undefined && fault !== "late") return "ms belongs to the fault late.";
  if (match.kind === "lookup" && !lookupFaults.includes(fault))
    return `a lookup can be struck by ${lookupFaults.join(", ")}.`;
  if (match.kind === "result" && fault !== "answer_twice") return "a result can be struck by answer_twice.";
  if (match.kind === "result" && match.last4 !== undefined)
    return "a result is matched by its reference, the threeDSServerTransID.";
  return null;
}
