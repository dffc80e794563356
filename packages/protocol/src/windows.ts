/**
 * The messages between the host page and the checkout iframe, and how each side validates them.
 *
 * Handshake. Each time the iframe loads, the loader creates a MessageChannel and posts one `init` with one port to the
 * iframe's exact origin. The iframe accepts exactly one `init`, only from `window.parent`. It keeps the port until the
 * session's allowed origins are known, and closes it if the sender isn't one of them. From then on, both sides only use
 * that port, so other scripts and iframes on the host page can't interfere with `window.postMessage`. Nothing is ever
 * posted to `"*"`.
 *
 * Limits. The host page learns about lifecycle, size, validity, the card's brand and the outcome. It never learns card
 * digits, the expiry, the name, the security code or the timing of keystrokes. It can call {@link FrameVerbs}, which
 * never set an amount, a merchant, a return URL or a card field.
 *
 * Versions. Each side ignores unknown names and fields, so they can be added within a version. Changing the meaning of
 * existing ones requires a new version.
 */

import type { CardNetwork } from "./card-networks.ts";
import type { CardBrand } from "./card.ts";
import type { CustomerReason } from "./declines.ts";
import type { FieldName, FrameSettings } from "./frame-settings.ts";
import { type FieldType, nullable, own, type Reader, readFields, record, whole } from "./readers.ts";
import type { ChallengeWindowSize } from "./threeds.ts";

/**
 * Protocol versions of this build, newest first. `init` negotiates the version, so that older pinned loaders keep
 * working.
 */
export const protocolVersions = [1] as const;

/** The `type` of the only message sent with `window.postMessage`. */
export const initType = "oriel:init";

/** The only message sent with `window.postMessage`, from the host page to the iframe, with one MessagePort. */
export interface Init {
  type: typeof initType;
  /** The loader's protocol versions, newest first. */
  protocol: readonly number[];
}

/** Validates an `init`. Returns null for anything else. */
export function readInit(value: unknown): Init | null {
  const protocol = own(value, "protocol");
  if (own(value, "type") !== initType || !Array.isArray(protocol)) return null;
  if (protocol.length === 0 || protocol.length > 16 || !protocol.every(Number.isSafeInteger)) return null;
  return { type: initType, protocol: protocol as number[] }; // checked above
}

/** The newest common version, or null, in which case the iframe works without the host page. */
export function negotiateProtocol(offered: readonly number[]): number | null {
  return protocolVersions.find((version) => offered.includes(version)) ?? null;
}

/** The `type` of the iframe's receipt for an `init`. */
export const hereType = "oriel:here";

/**
 * The iframe's receipt, sent as the first message on the port, before it knows whether the sender may embed it. It
 * shows that our document is running, so that the loader can tell a slow iframe from a blocked one. `protocol` is the
 * common version, or null.
 */
export interface Here {
  type: typeof hereType;
  protocol: number | null;
}

/** Validates a receipt. Returns null for anything else. */
export function readHere(value: unknown): Here | null {
  const protocol = own(value, "protocol");
  if (own(value, "type") !== hereType || (protocol !== null && !Number.isSafeInteger(protocol))) return null;
  return { type: hereType, protocol: protocol as number | null }; // checked above
}

// --- frame -> host page ----------------------------------------------------------------------------------------------

/**
 * A problem with a field's value. `message` is what the customer reads, in the customer's language.
 */
export interface FieldProblem {
  field: FieldName;
  /** For example `number_incomplete`. */
  code: string;
  message: string;
}

/** The iframe's events by name, with their details. */
export interface FrameEvents {
  /**
   * The form is ready to use. If it found a payment in progress, after a reload or from another tab, `isPaymentPending`
   * is true, and `submit` follows.
   */
  ready: { sessionId: string; livemode: boolean; /** ISO 8601 */ expiresAt: string; isPaymentPending?: boolean };
  /** The content's height in CSS pixels, rounded up. The loader sets the iframe's height to it. */
  resize: { height: number };
  /**
   * The form's validity or the card's brand changed. Sent after input pauses, never per keystroke. `complete`: the form
   * can be submitted. `networkChoices`: the networks that the customer can choose from if the card is co-badged, known
   * from its eighth digit on; empty for other cards.
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
  /** The customer pressed Pay and the card is being sent, or a reload found a payment in progress. */
  submit: Record<string, never>;
  /** The issuer requires authentication, and the iframe shows the issuer's page. */
  challengestart: {
    /** EMV 3DS challengeWindowSize */
    windowSize: ChallengeWindowSize;
    presentation: "inline" | "overlay";
  };
  challengeend: { outcome: ChallengeOutcome };
  /**
   * This attempt failed and the form is still open: the card was declined, or the request never reached the service.
   * `message` is what the customer reads. `attempt` counts this session's attempts from 1, without those that never
   * reached the service.
   */
  decline: { code: CustomerReason; message: string; retryable: boolean; attempt: number; attemptsLeft: number };
  /** The customer or the host page canceled the challenge. */
  cancel: { by: "customer" | "merchant" };
  /**
   * Use it to update the page, not as proof of payment. The merchant's server learns the outcome from the signed
   * webhook. `returnUrl` is the session's `return_url` with `session_id` appended, to which the full page would
   * redirect now.
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
  /**
   * The customer entered a promotion code, which the merchant's server must accept or reject. It reads the session with
   * its secret key and updates it.
   */
  updaterequest: { kind: "promotion_code" };
  /** The session expires soon. */
  expiring: { secondsLeft: number };
  /** The session expired. Five failed attempts also end a session, but that's an `error` and can't be renewed. */
  expire: Record<string, never>;
  /** The iframe can't take this payment. `isPaymentPending` is false if no earlier payment can still succeed. */
  error: { code: FrameErrorCode; isPaymentPending?: boolean };

  // Requests from the iframe to the loader, which the merchant's code doesn't receive.

  /** Show this iframe over the whole page until `shrink`, because the issuer's page doesn't fit. */
  grow: Record<string, never>;
  shrink: Record<string, never>;
  /** Navigate to the full page, where the challenge continues. */
  leave: Record<string, never>;
  /** What the form is for, in the customer's language, for screen readers. Sent again when the language changes. */
  title: { title: string };
  /** From `/embed/v1/why` only: the status of a session whose iframe doesn't respond. */
  why: { session: "open" | "expired" | "invalid"; /** Whether the host page's origin may embed it. */ listed: boolean };
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

/** Powerful features that the issuer's page may need. Each iframe around it must delegate them. */
export const bankFeatures = [
  "payment",
  "publickey-credentials-get",
  "publickey-credentials-create",
  "otp-credentials",
] as const;

export type FrameEventName = keyof FrameEvents;

/** The only method that the host page exposes on the port. The iframe calls it with each event. */
export interface HostVerbs {
  event(name: string, detail: unknown): void;
}

/** The fields that the loader copies from each event. */
const frameEventFields: { readonly [K in FrameEventName]: FieldsOf<FrameEvents[K]> } = {
  ready: { sessionId: "string", livemode: "boolean", expiresAt: "string", isPaymentPending: "boolean?" },
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
  updaterequest: { kind: "string" },
  expiring: { secondsLeft: "number" },
  expire: {},
  error: { code: "string", isPaymentPending: "boolean?" },
  grow: {},
  shrink: {},
  leave: {},
  title: { title: "string" },
  why: { session: "string", listed: "boolean" },
};

/** The fields of all members of the union. */
type FieldsOf<T> = { readonly [K in T extends unknown ? keyof T : never]: FieldType };

/**
 * Validates an event from the iframe. Returns null for anything else, including unknown names, because a newer iframe
 * may send events that an older loader doesn't know. The loader trusts the values, but passes only documented fields
 * and plain data on to the merchant's code.
 */
export function readFrameEvent(name: unknown, detail: unknown): AnyFrameEvent | null {
  if (typeof name !== "string" || !Object.hasOwn(frameEventFields, name)) return null;
  const fields: Readonly<Record<string, FieldType>> = frameEventFields[name as FrameEventName]; // an own property, so it's an event name
  const copy = readFields(detail, fields);
  return copy ? ({ name, detail: copy } as AnyFrameEvent) : null; // the iframe's code uses these types
}

export type AnyFrameEvent = { [K in FrameEventName]: { name: K; detail: FrameEvents[K] } }[FrameEventName];

// --- host page -> frame ----------------------------------------------------------------------------------------------

/**
 * Everything the host page can call in the iframe. The iframe provides it as a frozen, flat object without a prototype.
 */
export interface FrameVerbs {
  /**
   * Reports the available space ({@link AvailableSpace}), so that the iframe can choose a challenge window that fits.
   */
  room(size: unknown): void;
  /**
   * Replaces these {@link FrameSettings}, each as a whole, and keeps the others. Returns the paths of refused settings,
   * some with the value or the reason in parentheses.
   */
  update(settings: unknown): string[];
  /** Focuses a field. Without a name, focuses the first one that needs attention. */
  focus(field?: unknown): void;
  blur(): void;
  /** Empties the fields. */
  clear(): void;
  /**
   * Shows problems as pressing Pay would, without sending anything. Resolves at the next half second of the clock,
   * together with `change`, so that it doesn't reveal the timing of keystrokes.
   */
  validate(): Promise<Validation>;
  /**
   * Pays as pressing Pay would. Only for sessions created with `submit_button: "merchant"`. Resolves when the attempt
   * is over.
   */
  submit(): Promise<Submission>;
  /**
   * Reads the session again after the merchant's server has changed it. Does nothing while a payment is in progress.
   * Resolves when the form shows the result.
   */
  refresh(): Promise<void>;
  /** Cancels the challenge, like the iframe's own Cancel button. */
  cancelChallenge(): void;
  /** A redacted log of the iframe, at most 100 entries: `[milliseconds since it started, what happened]`. */
  report(): [at: number, what: string][];
  /** Clears the fields before the loader removes the iframe. */
  destroy(): void;
}

export type { FieldName, FrameSettings };

export interface Validation {
  valid: boolean;
  errors: FieldProblem[];
}

/**
 * The result of `submit`. `refused`: the session doesn't allow the host page to submit. `busy`: the form can't be
 * submitted right now because a payment is in progress, the form is disabled or it isn't shown. `session_changed`: the
 * customer saw another total. Nothing was paid, and the form shows the new one. `failed`: the iframe can't take the
 * payment, as its `error` event explains.
 */
export type Submission =
  | { type: "complete" | "processing" | "requires_confirmation"; sessionId: string }
  | { type: "validation"; errors: FieldProblem[] }
  | { type: "decline"; code: CustomerReason; message: string; retryable: boolean }
  | { type: "canceled" }
  | { type: "refused" }
  | { type: "session_changed" }
  | { type: "busy" }
  | { type: "failed" };

/** Validates the result of `validate`. Returns null for anything else. */
export function readValidation(value: unknown): Validation | null {
  return readFields(value, { valid: "boolean", errors: "object" }) as Validation | null; // as above
}

/** Validates the result of `submit`. Returns null for anything else. */
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
 * The available space in CSS pixels: the container's `width` and the window's `height`. `full` is the iframe's width
 * when it grows over the page, or null if it can't grow.
 */
export interface AvailableSpace {
  width: number;
  height: number;
  full: number | null;
}

/** Validates a {@link AvailableSpace}. Older loaders, whose iframe can't grow, don't send `full`. */
export const readAvailableSpace: Reader<AvailableSpace> = record({
  width: whole(100_000),
  height: whole(100_000),
  full: nullable(whole(100_000)),
});
