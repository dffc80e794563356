/**
 * What the host page and the frame may say to each other, and the checks both sides make on arrival.
 *
 * Hand-over. The loader creates a MessageChannel and, once per load of the frame, posts one `init` with one port to the
 * frame's exact origin. The frame takes exactly one `init`, only from `window.parent`, holds the port until the session
 * says which origins may hold the frame, and closes it if the sender is not among them. From then on both speak over
 * that port alone, so nothing else on the host page (other scripts, ad frames) can call in by `window.postMessage`.
 * Nothing is ever posted to `"*"`.
 *
 * What the host page may learn: lifecycle, size, validity, the card's brand, outcome. Never a digit, an expiry, a name,
 * a code, nor the timing of single keys. What the host page may ask: see {@link FrameVerbs}. It can never set an
 * amount, a merchant, an address to return to, or a card field.
 *
 * Growing. A side ignores a name it does not know, and a field it does not know; so names and fields may be added
 * within a version. What changes the meaning of something that was there takes a new version.
 */

import type { CardBrand } from "./card.ts";
import type { CardNetwork } from "./card-networks.ts";
import type { CustomerReason } from "./declines.ts";
import type { FieldName, FrameSettings } from "./frame-settings.ts";
import { type FieldType, nullable, own, type Reader, readFields, record, whole } from "./readers.ts";
import type { ChallengeWindowSize } from "./threeds.ts";

/**
 * Protocol versions this build speaks, newest first. Negotiated in `init`, so that an old pinned loader keeps working.
 */
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
  const protocol = own(value, "protocol");
  if (own(value, "type") !== initType || !Array.isArray(protocol)) return null;
  if (protocol.length === 0 || protocol.length > 16 || !protocol.every(Number.isSafeInteger)) return null;
  return { type: initType, protocol: protocol as number[] }; // every one was just seen to be a whole number
}

/** The newest version both sides speak, or null: then the page shows itself without the host. */
export function negotiateProtocol(offered: readonly number[]): number | null {
  return protocolVersions.find((version) => offered.includes(version)) ?? null;
}

/** The `type` of the frame's receipt for an `init`. */
export const hereType = "oriel:here";

/**
 * The frame's receipt: the first message on the port, before anyone was asked whether the sender may hold it. It says
 * only that a document of ours is alive in there, so that silence can be told from a frame that was refused; and which
 * version both speak, null for none.
 */
export interface Here {
  type: typeof hereType;
  protocol: number | null;
}

/** Reads a receipt; null for anything else. */
export function readHere(value: unknown): Here | null {
  const protocol = own(value, "protocol");
  if (own(value, "type") !== hereType || (protocol !== null && !Number.isSafeInteger(protocol))) return null;
  return { type: hereType, protocol: protocol as number | null }; // just seen to be one of the two
}

// --- frame -> host page ----------------------------------------------------------------------------------------------

/**
 * One thing that is wrong with what was typed. `message` is the sentence the customer reads, in the customer's
 * language.
 */
export interface FieldProblem {
  field: FieldName;
  /** Such as `number_incomplete`. */
  code: string;
  message: string;
}

/** The events of the frame, by name, with what each carries. */
export interface FrameEvents {
  /** The form can be used. */
  ready: { sessionId: string; livemode: boolean; /** ISO 8601 */ expiresAt: string };
  /** Height of the content in CSS pixels, rounded up. The loader sets the frame's height to it. */
  resize: { height: number };
  /**
   * The form's validity or the card's brand is another one. Told when it settles, never per key. `complete`: Pay would
   * be accepted. `networkChoices`: the networks a card that two share lets the customer choose from, from its eighth
   * digit on; empty for other cards.
   */
  change: {
    complete: boolean;
    empty: boolean;
    errors: FieldProblem[];
    brand: CardBrand | null;
    networkChoices: CardNetwork[];
    networkChoice: CardNetwork | null;
  };
  focus: { field: FieldName };
  blur: { field: FieldName };
  /** The customer pressed Escape in the form. */
  escape: Record<string, never>;
  /** The customer pressed Pay and the card is on its way, or a reload found a payment that still is. */
  submit: Record<string, never>;
  /** The bank asks the customer; the frame shows the bank's page. */
  challengestart: {
    /** EMV 3DS challengeWindowSize */ windowSize: ChallengeWindowSize;
    presentation: "inline" | "overlay";
  };
  challengeend: { outcome: ChallengeOutcome };
  /**
   * Nothing came of this try, and the form is still there: the card was refused, or the request never reached the
   * service. `message`: the sentence the customer reads. `attempt`: 1 for this session's first; one that never reached
   * the service is not counted.
   */
  decline: { code: CustomerReason; message: string; retryable: boolean; attempt: number; attemptsLeft: number };
  /** Somebody gave the payment up: here, the bank's challenge. */
  cancel: { by: "customer" | "merchant" };
  /**
   * For the screen only, never a proof: the merchant's server learns the outcome from the signed webhook. `returnUrl`:
   * the session's `return_url` with `session_id` appended, where a page of its own would lead now.
   */
  complete:
    | { sessionId: string; status: "complete" | "processing"; returnUrl: string | null }
    | {
        sessionId: string;
        status: "requires_confirmation";
        paymentMethodId: string;
        decisionId: string;
        returnUrl: string | null;
      };
  /** The session ends soon. */
  expiring: { secondsLeft: number };
  /** The session's time ran out. (Five failures end a session too; that is an `error`, and nothing renews it.) */
  expire: Record<string, never>;
  /** The frame cannot take this payment. */
  error: { code: FrameErrorCode };

  // What the frame asks of the loader. The merchant's code does not hear these.

  /** Show this frame over the whole page until `shrink`, for the bank's page does not fit here. */
  grow: Record<string, never>;
  shrink: Record<string, never>;
  /** Leave for the full page, where the challenge goes on. */
  leave: Record<string, never>;
  /** From `/embed/v1/why` only: how things stand with a session whose frame is silent. */
  why: { session: "open" | "expired" | "invalid"; /** The host page's origin may hold it. */ listed: boolean };
}

export type ChallengeOutcome = "authenticated" | "failed" | "canceled" | "timed_out" | "unavailable";

export type FrameErrorCode =
  | "session_invalid"
  | "session_expired"
  | "unsupported_browser"
  | "sandboxed"
  | "protocol_mismatch"
  | "network"
  | "internal";

/** Powerful features that a bank's page may need. Each frame on the way down to it has to hand them on. */
export const bankFeatures = [
  "payment",
  "publickey-credentials-get",
  "publickey-credentials-create",
  "otp-credentials",
] as const;

export type FrameEventName = keyof FrameEvents;

/** The one method the host page exposes on the port: the frame tells it an event. */
export interface HostVerbs {
  event(name: string, detail: unknown): void;
}

/** The fields of each event, by which the loader copies. */
const frameEventFields: { readonly [K in FrameEventName]: FieldsOf<FrameEvents[K]> } = {
  ready: { sessionId: "string", livemode: "boolean", expiresAt: "string" },
  resize: { height: "number" },
  change: {
    complete: "boolean",
    empty: "boolean",
    errors: "object",
    brand: "string?",
    networkChoices: "object",
    networkChoice: "string?",
  },
  focus: { field: "string" },
  blur: { field: "string" },
  escape: {},
  submit: {},
  challengestart: { windowSize: "string", presentation: "string" },
  challengeend: { outcome: "string" },
  decline: { code: "string", message: "string", retryable: "boolean", attempt: "number", attemptsLeft: "number" },
  cancel: { by: "string" },
  complete: {
    sessionId: "string",
    status: "string",
    paymentMethodId: "string?",
    decisionId: "string?",
    returnUrl: "string?",
  },
  expiring: { secondsLeft: "number" },
  expire: {},
  error: { code: "string" },
  grow: {},
  shrink: {},
  leave: {},
  why: { session: "string", listed: "boolean" },
};

/** A field for each that any of the union's members has. */
type FieldsOf<T> = { readonly [K in T extends unknown ? keyof T : never]: FieldType };

/**
 * Reads an event that came out of the frame; null if it is not one. A name that this build does not know is not one: a
 * newer frame may tell more than an older loader understands. The loader trusts the frame's origin for what the values
 * mean, but what it hands to the merchant's code is the documented fields and plain data, and nothing else.
 */
export function readFrameEvent(name: unknown, detail: unknown): AnyFrameEvent | null {
  if (typeof name !== "string" || !Object.hasOwn(frameEventFields, name)) return null;
  const fields: Readonly<Record<string, FieldType>> = frameEventFields[name as FrameEventName]; // an own property of the table is an event's name
  const copy = readFields(detail, fields);
  return copy ? ({ name, detail: copy } as AnyFrameEvent) : null; // the frame's own code is held to these types
}

export type AnyFrameEvent = { [K in FrameEventName]: { name: K; detail: FrameEvents[K] } }[FrameEventName];

// --- host page -> frame ----------------------------------------------------------------------------------------------

/** All that the host page may ask of the frame. A flat record; the frame freezes it on a null prototype. */
export interface FrameVerbs {
  /** How much room there is, so that the bank's page can be chosen to fit. */
  room(size: unknown): void;
  /**
   * Takes {@link FrameSettings}, merges them into what holds, and answers with the paths of what it refused, some with
   * the reason in parentheses.
   */
  update(settings: unknown): string[];
  /** Puts the keyboard into a field; without a name into the first that needs attention. */
  focus(field?: unknown): void;
  blur(): void;
  /** Empties the fields. */
  clear(): void;
  /**
   * Shows what is wrong, as pressing Pay would, and sends nothing. Answers at the next half second of the clock, when
   * `change` is told too.
   */
  validate(): Promise<Validation>;
  /**
   * Pays, as pressing Pay would. Only for a session created with `submit_button: "merchant"`; settles when the try is
   * over.
   */
  submit(): Promise<Submission>;
  /** Gives up the bank's challenge, as the frame's own Cancel does. */
  cancelChallenge(): void;
  /** What happened in the frame: `[milliseconds since it began, what]`, at most a hundred lines, redacted. */
  report(): [at: number, what: string][];
  /** The loader is about to remove the frame: wipe the fields. */
  destroy(): void;
}

export type { FieldName, FrameSettings };

export interface Validation {
  valid: boolean;
  errors: FieldProblem[];
}

/**
 * How a try to pay ended, as `submit` answers. `refused`: the session does not let the host page submit. `busy`: the
 * form takes no try just now, for another is under way, it is disabled, or something else stands in its place.
 * `failed`: the frame cannot take the payment, which its `error` event explains.
 */
export type Submission =
  | { type: "complete" | "processing" | "requires_confirmation"; sessionId: string }
  | { type: "validation"; errors: FieldProblem[] }
  | { type: "decline"; code: CustomerReason; message: string; retryable: boolean }
  | { type: "canceled" }
  | { type: "refused" }
  | { type: "busy" }
  | { type: "failed" };

/** Reads what `validate` answered; null for anything else. */
export function readValidation(value: unknown): Validation | null {
  return readFields(value, { valid: "boolean", errors: "object" }) as Validation | null; // as above
}

/** Reads what `submit` answered; null for anything else. */
export function readSubmission(value: unknown): Submission | null {
  const fields = {
    type: "string",
    sessionId: "string?",
    errors: "object?",
    code: "string?",
    message: "string?",
    retryable: "boolean?",
  } as const;
  return readFields(value, fields) as Submission | null; // as above
}

/**
 * In CSS pixels. `width`: the container's. `height`: the window's. `full`: how wide the frame becomes when it grows;
 * null, it cannot.
 */
export interface Room {
  width: number;
  height: number;
  full: number | null;
}

/** Reads a {@link Room}. A loader from before frames could grow says nothing of `full`. */
export const readRoom: Reader<Room> = record({
  width: whole(100_000),
  height: whole(100_000),
  full: nullable(whole(100_000)),
});
