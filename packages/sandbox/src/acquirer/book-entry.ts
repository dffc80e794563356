/**
 * What stands in the bank's books: one entry for each reference, never changed afterwards but in how often it was asked
 * for, and the lines of the journal that it is made of. A line is an entry, or `repeat`, which says that a reference
 * was asked for once more.
 *
 * Lines of an older bank, which knew authorisations only, are read as what they meant then: money was taken at once or
 * not at all.
 */
import type { Authorization, Cancel, Capture, Refund } from "@oriel/protocol/acquirer";
import type { DeclineCode } from "@oriel/protocol/declines";

export const operations = ["authorization", "capture", "cancel", "refund"] as const;

export type Operation = (typeof operations)[number];

interface Kept {
  /** Of the request that made the entry. Another one under the same reference is another request. */
  fingerprint: string;
}

export type AuthorizationEntry = Kept & {
  kind: "authorization";
  answer: Authorization;
  /**
   * What the account will say to a capture or a refund that were possible otherwise. Kept, since its card number is
   * not.
   */
  refuses: Refusals;
};

/** What became of an authorisation afterwards. */
export type LaterEntry = Kept &
  ({ kind: "capture"; answer: Capture } | { kind: "cancel"; answer: Cancel } | { kind: "refund"; answer: Refund });

export type Entry = AuthorizationEntry | LaterEntry;

export interface Refusals {
  capture?: DeclineCode;
  refund?: DeclineCode;
}

export type Line = Entry | { kind: "repeat"; reference: string };

/** Null when nobody can read it. Looks at what identifies an entry; the rest is as this bank wrote it. */
export function readLine(text: string): Line | null {
  const line = parse(text);
  if (!isRecord(line)) return null;
  if (line["kind"] === "repeat") {
    const { reference } = line;
    return typeof reference === "string" ? { kind: "repeat", reference } : null;
  }
  const entry = isRecord(line["authorization"]) ? modernized(line, line["authorization"]) : line;
  return isEntry(entry) ? entry : null;
}

/** An entry of the older bank, in today's shape. */
function modernized({ kind, fingerprint }: Record<string, unknown>, authorization: Record<string, unknown>): unknown {
  const { amount, captured } = authorization;
  const answer = {
    ...authorization,
    amount_captured: captured === true ? amount : 0,
    amount_refunded: 0,
    canceled: false,
  };
  return { kind, fingerprint, answer, refuses: {} };
}

function isEntry(value: unknown): value is Entry {
  if (!isRecord(value) || !isRecord(value["answer"]) || typeof value["fingerprint"] !== "string") return false;
  const { reference, requests, status, amount, authorization } = value["answer"];
  const isAnswer = typeof reference === "string" && typeof requests === "number" && typeof status === "string";
  switch (value["kind"]) {
    case "authorization":
      return isAnswer && typeof amount === "number" && isRecord(value["refuses"]);
    case "capture":
    case "refund":
      return isAnswer && typeof amount === "number" && typeof authorization === "string";
    case "cancel":
      return isAnswer && typeof authorization === "string";
    default:
      return false;
  }
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
