/**
 * The types of the checkout handle. create-checkout.ts implements it.
 */
import type { FieldName, Submission, Validation } from "@oriel/protocol/windows";
import type { CheckoutError } from "./checkout-error.ts";
import type { AnyCheckoutEvent, CheckoutEvents } from "./checkout-events.ts";
import type { CheckoutOptions } from "./checkout-options.ts";

export type CheckoutState = "idle" | FrameState | "destroyed";

/** What the iframe shows. */
export type FrameState = "loading" | "ready" | "submitting" | "challenge" | "complete" | "expired" | "error";

/** A container element or its selector. The first match is used. */
export type MountTarget = string | Element;

/** The options that you can change while the form is open, without losing the customer's input. */
export type CheckoutPatch = Pick<
  CheckoutOptions,
  "locale" | "appearance" | "title" | "defaultValues" | "fields" | "submitButton" | "disabled"
>;

/**
 * The result of `submit`. The `error` code `submit_not_allowed` means that the session wasn't created with
 * `submit_button: "merchant"`.
 */
export type SubmitResult =
  | Exclude<Submission, { type: "busy" | "refused" | "failed" }>
  | { type: "error"; error: CheckoutError };

/** Diagnostics for the operator of the service. Contains no customer input, URLs or secrets. */
export interface DebugReport {
  version: string;
  diagnosticId: string;
  protocol: number | null;
  sessionId: string | null;
  state: CheckoutState;
  userAgent: string;
  /** `[milliseconds since the checkout was created, what happened]`. Empty without `debug: true`. */
  events: [at: number, what: string][];
  /** The same from inside the iframe, with milliseconds since it started. */
  frame: [at: number, what: string][];
}

export interface CheckoutHandle {
  /**
   * Resolves when the form is ready to use (or the session is already paid), and rejects with a {@link CheckoutError}
   * otherwise. Each mount has its own promise. If there is an `error` listener, you needn't catch the rejection.
   */
  readonly ready: Promise<void>;
  readonly state: CheckoutState;
  /**
   * Whether a payment is in progress or its outcome is unknown, whatever the `state` is, even after `unmount`. Don't show
   * another session for the same order until it's false, because both payments could succeed.
   */
  readonly isPaymentPending: boolean;
  /**
   * Shows the checkout in the container. Calling it again with another container moves the checkout there, with an
   * empty form. Calling it with the same container does nothing.
   */
  mount(target: MountTarget): CheckoutHandle;
  /** Removes the iframe but keeps the listeners, so that you can mount the checkout again. */
  unmount(): void;
  /** Removes the listeners immediately and the iframe one task later. Final. */
  destroy(): void;
  /**
   * Changes options without reloading the form. A new value replaces the old one, including all variables of
   * `appearance`. Options that you leave out stay the same.
   *
   * @throws (rejects) TypeError that names invalid options, such as `appearance.variables.colorPrimary`. The others are
   *   still applied.
   * @example await checkout.update({ locale: "fr", appearance: { theme: "dark" } });
   */
  update(patch: CheckoutPatch): Promise<void>;
  /**
   * Pays as if the customer pressed Pay, and resolves when the attempt is over. Only for sessions created with
   * `submit_button: "merchant"`.
   */
  submit(): Promise<SubmitResult>;
  /** Validates the form and shows any problems, as pressing Pay would, but sends nothing. */
  validate(): Promise<Validation>;
  /**
   * Shows the session's latest amount and order after your server has changed them. What the customer has typed stays.
   * Without it, Pay is refused until the form has shown the change, and nothing is charged.
   */
  refresh(): Promise<void>;
  /**
   * Runs a function that makes your server change the session, and then refreshes the form, even if the function throws.
   *
   * @returns what the function returns
   * @example await checkout.runServerUpdate(() => fetch("/cart/voucher", { method: "POST", body: code }));
   */
  runServerUpdate<Result>(change: () => Promise<Result>): Promise<Result>;
  /** Focuses a field. Without a name, focuses the first one that needs attention. */
  focus(field?: FieldName): void;
  blur(): void;
  /** Clears the fields. */
  clear(): void;
  /** Listens to an event, or to every event with `"*"`. Returns a function that removes the listener. */
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
  /** Navigates to the full page. */
  redirect(): void;
  /** Cancels the challenge, like the iframe's own Cancel button. */
  cancelChallenge(): void;
  /** Returns a redacted report of what happened so far. */
  getDebugReport(): Promise<DebugReport>;
}
