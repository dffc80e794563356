/**
 * An entry in the bank's ledger, and the journal lines that entries are read from. Each reference has one entry, of
 * which only the request count changes once it's written. A journal line is either an entry or a `repeat`, which
 * records another request with the same reference. An older version of the bank recorded authorizations only. Its lines
 * are read with the meaning they had then: money was captured at once or not at all.
 */
import type { Authorization, Cancel, Capture, Refund } from "@oriel/protocol/acquirer";
import type { DeclineCode } from "@oriel/protocol/declines";

export const operations = ["authorization", "capture", "cancel", "refund"] as const;

export type Operation = (typeof operations)[number];

interface Fingerprinted {
  /** Fingerprint of the request that made the entry. A different fingerprint under the same reference is a conflict. */
  fingerprint: string;
}

export type AuthorizationEntry = Fingerprinted & {
  kind: "authorization";
  response: Authorization;
  /**
   * How the account will respond to otherwise valid captures and refunds. Stored here because the card number isn't
   * stored.
   */
  refuses: Refusals;
};

/** Later operations on an authorization. */
export type LaterEntry = Fingerprinted &
  (
    | { kind: "capture"; response: Capture }
    | { kind: "cancel"; response: Cancel }
    | { kind: "refund"; response: Refund }
  );

export type Entry = AuthorizationEntry | LaterEntry;

export interface Refusals {
  capture?: DeclineCode;
  refund?: DeclineCode;
}

export type Line = Entry | { kind: "repeat"; reference: string };

/** Returns null if the line is unreadable. Only the identifying fields are checked; this bank wrote the rest. */
export function readLine(text: string): Line | null {
  const line = parse(text);
  if (!isRecord(line)) return null;
  if (line["kind"] === "repeat") {
    const { reference } = line;
    return typeof reference === "string" ? { kind: "repeat", reference } : null;
  }
  const { answer: response, ...fields } = line; // entries of an older bank call the response `answer`
  const entry = isRecord(line["authorization"]) ? modernized(line, line["authorization"]) : { response, ...fields };
  return isEntry(entry) ? entry : null;
}

/** Converts an entry of the oldest format, which has an authorization instead of a response. */
function modernized({ kind, fingerprint }: Record<string, unknown>, authorization: Record<string, unknown>): unknown {
  const { amount, captured } = authorization;
  const response = {
    ...authorization,
    amount_captured: captured === true ? amount : 0,
    amount_refunded: 0,
    canceled: false,
  };
  return { kind, fingerprint, response, refuses: {} };
}

function isEntry(value: unknown): value is Entry {
  if (!isRecord(value) || !isRecord(value["response"]) || typeof value["fingerprint"] !== "string") return false;
  const { reference, requests, status, amount, authorization } = value["response"];
  const hasResponse = typeof reference === "string" && typeof requests === "number" && typeof status === "string";
  switch (value["kind"]) {
    case "authorization":
      return hasResponse && typeof amount === "number" && isRecord(value["refuses"]);
    case "capture":
    case "refund":
      return hasResponse && typeof amount === "number" && typeof authorization === "string";
    case "cancel":
      return hasResponse && typeof authorization === "string";
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
