/**
 * The handle a merchant's page holds, and what its methods take and answer. Its behaviour stands in create-checkout.ts.
 */
import type { FieldName, Submission, Validation } from "@oriel/protocol/windows";
import type { CheckoutError } from "./checkout-error.ts";
import type { AnyCheckoutEvent, CheckoutEvents, FrameState } from "./checkout-events.ts";
import type { CheckoutOptions } from "./checkout-options.ts";

export type CheckoutState = "idle" | FrameState | "destroyed";

/** A container, or the selector of one. The first match is taken. */
export type MountTarget = string | Element;

/** What of the options can be changed while the form stands, without losing what was typed. */
export type CheckoutPatch = Pick<
  CheckoutOptions,
  "locale" | "appearance" | "title" | "defaultValues" | "fields" | "submitButton" | "disabled"
>;

/**
 * How `submit` ended. `error` with the code `submit_not_allowed`: the session was not created with `submit_button:
 * "merchant"`.
 */
export type SubmitResult =
  | Exclude<Submission, { type: "busy" | "refused" | "failed" }>
  | { type: "error"; error: CheckoutError };

/** What happened, for whoever runs the service. Holds nothing that was typed, no address and no secret. */
export interface DebugReport {
  version: string;
  diagnosticId: string;
  protocol: number | null;
  sessionId: string | null;
  state: CheckoutState;
  userAgent: string;
  /** `[milliseconds since the checkout was created, what]`; empty without `debug: true`. */
  events: [at: number, what: string][];
  /** The same from inside the frame, since that began. */
  frame: [at: number, what: string][];
}

export interface CheckoutHandle {
  /**
   * Settles for every mount: resolves when the form can be used (or the session is already paid), rejects with a
   * {@link CheckoutError} otherwise. With an `error` listener present a rejection needs no `catch`.
   */
  readonly ready: Promise<void>;
  readonly state: CheckoutState;
  /**
   * Shows the frame in the container. A second call moves the checkout there; into the same container it changes
   * nothing.
   */
  mount(target: MountTarget): CheckoutHandle;
  /** Takes the frame away and keeps the listeners; it can be mounted again. */
  unmount(): void;
  /** Takes the frame away, one task later, and the listeners at once. */
  destroy(): void;
  /**
   * Changes the living form.
   *
   * @throws (rejects) TypeError that names what the frame refused, such as `appearance.variables.colorPrimary`; the
   *   rest holds.
   * @example await checkout.update({ locale: "fr", appearance: { theme: "dark" } });
   */
  update(patch: CheckoutPatch): Promise<void>;
  /**
   * Pays, as pressing Pay would; settles when the try is over. Only for a session created with `submit_button:
   * "merchant"`.
   */
  submit(): Promise<SubmitResult>;
  /** Shows what is wrong with what was typed, as pressing Pay would, and sends nothing. */
  validate(): Promise<Validation>;
  /** Puts the keyboard into a field; without a name into the first that needs attention. */
  focus(field?: FieldName): void;
  blur(): void;
  /** Empties the fields. */
  clear(): void;
  /** Hears an event, or every event with `"*"`. Answers with how to stop. */
  on<K extends keyof CheckoutEvents>(
    type: K,
    listener: (detail: CheckoutEvents[K]) => void,
    options?: { signal?: AbortSignal; once?: boolean },
  ): () => void;
  on(
    type: "*",
    listener: (event: AnyCheckoutEvent) => void,
    options?: { signal?: AbortSignal; once?: boolean },
  ): () => void;
  /** Goes to the full page now. */
  redirect(): void;
  /** Gives up the bank's challenge, as the frame's own Cancel does. */
  cancelChallenge(): void;
  /** What happened so far, redacted. */
  getDebugReport(): Promise<DebugReport>;
}
