/**
 * What the host page and the frame may say to each other, and the checks both sides make on arrival.
 *
 * Hand-over. The loader creates a MessageChannel and, once per load of the frame, posts one `init` with one port to the frame's exact
 * origin. The frame takes exactly one `init`, only from `window.parent`, holds the port until the session says which origins may hold the
 * frame, and closes it if the sender is not among them. From then on both speak over that port alone, so nothing else on the host
 * page (other scripts, ad frames) can call in by `window.postMessage`. Nothing is ever posted to `"*"`.
 *
 * What the host page may learn: lifecycle, size, outcome. Never a digit, an expiry, a name, a code, nor the timing of single keys.
 * What the host page may ask: see {@link FrameVerbs}. It can never set an amount, a merchant, an address to return to, or a card field.
 *
 * The checks are plain functions: no schema library and no `eval` in the loader or the frame.
 */

import { customerReasons, type CustomerReason } from "./declines.ts";
import { challengeWindowSizeCodes, type ChallengeWindowSize } from "./threeds.ts";

/** Protocol versions this build speaks, newest first. Negotiated in `init`, so that an old pinned loader keeps working. */
export const protocolVersions = [1] as const;

/** The `type` of the one message that travels by `window.postMessage`. */
export const initType = "oriel:init";

/** The one message by `window.postMessage`, host page to frame, with one MessagePort beside it. */
export interface Init {
  type: typeof initType;
  /** Versions the loader speaks, newest first. */
  protocol: readonly number[];
}

/** Reads an `init`; null for anything else. */
export function readInit(value: unknown): Init | null {
  if (!isRecord(value) || own(value, "type") !== initType) return null;
  const protocol = own(value, "protocol");
  if (!Array.isArray(protocol) || protocol.length === 0 || protocol.length > 16 || !protocol.every(Number.isSafeInteger))
    return null;
  return { type: initType, protocol: protocol as number[] }; // every one was just seen to be a whole number
}

/** The newest version both sides speak, or null: then the page shows itself without the host. */
export function negotiateProtocol(offered: readonly number[]): number | null {
  return protocolVersions.find((version) => offered.includes(version)) ?? null;
}

// --- frame -> host page ------------------------------------------------------------------------------------------------------------

/** The events of the frame, by name, with what each carries. */
export interface FrameEvents {
  /** The form can be used. */
  ready: { sessionId: string; livemode: boolean; /** ISO 8601 */ expiresAt: string };
  /** Height of the content in CSS pixels, rounded up. The loader sets the frame's height to it. */
  resize: { height: number };
  /** The customer pressed Pay and the card is on its way. */
  submit: Record<string, never>;
  /** The bank asks the customer; the frame shows the bank's page. */
  challengestart: { /** EMV 3DS challengeWindowSize */ windowSize: ChallengeWindowSize };
  challengeend: { outcome: ChallengeOutcome };
  /** This card was refused; the form is still there. */
  decline: { code: CustomerReason; retryable: boolean; attemptsLeft: number };
  /** For the screen only, never a proof: the merchant's server learns the outcome from the signed webhook. */
  complete:
    | { sessionId: string; status: "complete" | "processing"; returnUrl: string | null }
    | {
        sessionId: string;
        status: "requires_confirmation";
        paymentMethodId: string;
        decisionId: string;
        returnUrl: string | null;
      };
  /** The frame cannot take this payment. */
  error: { code: FrameErrorCode };
}

const challengeOutcomes = ["authenticated", "failed", "canceled", "timed_out", "unavailable"] as const;
export type ChallengeOutcome = (typeof challengeOutcomes)[number];

const frameErrorCodes = [
  "session_invalid",
  "session_expired",
  "unsupported_browser",
  "protocol_mismatch",
  "network",
  "internal",
] as const;
export type FrameErrorCode = (typeof frameErrorCodes)[number];

/** Powerful features that a bank's page may need. Each frame on the way down to it has to hand them on. */
export const bankFeatures = ["payment", "publickey-credentials-get", "publickey-credentials-create", "otp-credentials"] as const;

export type FrameEventName = keyof FrameEvents;

/** The one method the host page exposes on the port: the frame tells it an event. */
export interface HostVerbs {
  event(name: string, detail: unknown): void;
}

/**
 * Reads an event that came out of the frame and copies only its documented fields; null if it is not one.
 * The loader trusts the frame's origin, but what it hands to the merchant's code is what is written here and nothing else.
 */
export function readFrameEvent(
  name: unknown,
  detail: unknown,
): { [K in FrameEventName]: { name: K; detail: FrameEvents[K] } }[FrameEventName] | null {
  if (!isRecord(detail)) return null;
  switch (name) {
    case "ready": {
      const sessionId = own(detail, "sessionId");
      const livemode = own(detail, "livemode");
      const expiresAt = own(detail, "expiresAt");
      if (!isText(sessionId) || typeof livemode !== "boolean" || !isText(expiresAt)) return null;
      return { name, detail: { sessionId, livemode, expiresAt } };
    }
    case "resize": {
      const height = own(detail, "height");
      if (!isWhole(height, 0, 20_000)) return null;
      return { name, detail: { height } };
    }
    case "submit":
      return { name, detail: {} };
    case "challengestart": {
      const windowSize = own(detail, "windowSize");
      if (!isOneOf(windowSize, challengeWindowSizeCodes)) return null;
      return { name, detail: { windowSize } };
    }
    case "challengeend": {
      const outcome = own(detail, "outcome");
      if (!isOneOf(outcome, challengeOutcomes)) return null;
      return { name, detail: { outcome } };
    }
    case "decline": {
      const code = own(detail, "code");
      const retryable = own(detail, "retryable");
      const attemptsLeft = own(detail, "attemptsLeft");
      if (!isOneOf(code, customerReasons) || typeof retryable !== "boolean" || !isWhole(attemptsLeft, 0, 100)) return null;
      return { name, detail: { code, retryable, attemptsLeft } };
    }
    case "complete": {
      const sessionId = own(detail, "sessionId");
      const status = own(detail, "status");
      const returnUrl = own(detail, "returnUrl") ?? null;
      if (!isText(sessionId) || (returnUrl !== null && !isText(returnUrl))) return null;
      if (isOneOf(status, ["complete", "processing"])) return { name, detail: { sessionId, status, returnUrl } };
      if (status !== "requires_confirmation") return null;
      const paymentMethodId = own(detail, "paymentMethodId");
      const decisionId = own(detail, "decisionId");
      if (!isText(paymentMethodId) || !isText(decisionId)) return null;
      return { name, detail: { sessionId, status, paymentMethodId, decisionId, returnUrl } };
    }
    case "error": {
      const code = own(detail, "code");
      if (!isOneOf(code, frameErrorCodes)) return null;
      return { name, detail: { code } };
    }
    default:
      return null;
  }
}

// --- host page -> frame ------------------------------------------------------------------------------------------------------------

/** All that the host page may ask of the frame. A flat record; the frame freezes it on a null prototype. */
export interface FrameVerbs {
  /** Room the frame could take, in CSS pixels, so that the challenge window can be chosen to fit. */
  room(size: unknown): void;
  /** Gives up the bank's challenge, as the frame's own Cancel does. */
  cancelChallenge(): void;
  /** The loader is about to remove the frame: wipe the fields. */
  destroy(): void;
}

/** Width of the container and height of the window, in CSS pixels. */
export interface Room {
  width: number;
  height: number;
}

/** Reads a {@link Room}; null if it is not one. */
export function readRoom(value: unknown): Room | null {
  if (!isRecord(value)) return null;
  const width = own(value, "width");
  const height = own(value, "height");
  if (!isWhole(width, 0, 100_000) || !isWhole(height, 0, 100_000)) return null;
  return { width, height };
}

// --- plain checks ------------------------------------------------------------------------------------------------------------------

function isRecord(value: unknown): value is object {
  return typeof value === "object" && value !== null;
}

/** Own properties only, so that a polluted `Object.prototype` supplies nothing. */
function own(record: object, key: string): unknown {
  return Object.hasOwn(record, key) ? (record as Record<string, unknown>)[key] : undefined; // an own property may be read by its name
}

function isText(value: unknown): value is string {
  return typeof value === "string" && value.length > 0 && value.length <= 2048;
}

function isWhole(value: unknown, least: number, most: number): value is number {
  return Number.isSafeInteger(value) && (value as number) >= least && (value as number) <= most; // isSafeInteger has said that it is a number
}

function isOneOf<const T extends string>(value: unknown, allowed: readonly T[]): value is T {
  return (allowed as readonly unknown[]).includes(value); // wider, so that it may be asked about anything
}
