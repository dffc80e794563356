/**
 * Owns the state of a payment, and takes one step after the other until the page shows the form or a result. The states
 * and the steps are in `payment-steps.ts`.
 *
 * ```
 * begin, pay or refresh --> running --no next state--> the form, or a final result
 *                             ^  |
 *                             |  +--unreachable or unknown--> paused
 *                             +--button pressed, or online------+
 * ```
 * Browsers cache a failed module load. So if the code for the steps with the bank can't be loaded, a paused page continues
 * by reloading itself, which keeps a payment that is in progress.
 *
 * A session of mode `setup` follows the same flow: its "payment" saves the card, charges nothing and ends as
 * `succeeded`. Only the texts on the screen differ.
 *
 * Only one payment runs at a time; a second press gets `busy`. A press while the browser is offline sends nothing and
 * says so. A press while the session is being refreshed waits for the response, and pays if the form can still be used
 * and the order hasn't changed. Each press pays only for the version of the order that the page showed.
 */
import type { FrameSession } from "@oriel/protocol/frame";
import type { Submission } from "@oriel/protocol/windows";
import type { Card } from "../form/check-card.ts";
import type { FrameApi } from "../service/frame-api.ts";
import type { CallResult } from "../service/frame-call.ts";
import { createAttempt } from "./attempt.ts";
import type { Attempt, AttemptWorld } from "./attempt.ts";
import type { PaymentFollower } from "./follow-payment.ts";
import { createPaymentSteps } from "./payment-steps.ts";
import type { PausedState, State, StepsWorld } from "./payment-steps.ts";

export interface PaymentFlow {
  /** Opens the session and shows its state. */
  begin(opening?: Promise<CallResult>): Promise<void>;
  /**
   * Resolves when the attempt is over, or when the customer has been told that the outcome will take a while.
   * @param card null if the order needs none
   * @param version of the order that the customer pays for; by default, that which the page shows
   */
  pay(card: Card | null, version?: number): Promise<Submission>;
  /** Undefined until the session is open. */
  shownVersion(): number | undefined;
  /**
   * Reads the session again, and resolves once the page shows it or a payment in progress. During a payment, resolves at
   * once, and the session is read after the payment if the form can be used again. If a payment's outcome is unknown, also
   * resolves at once, and asks the service again.
   */
  refresh(): Promise<void>;
  /** Call this when the network is back. It does nothing if the page knows the session's state. */
  online(): Promise<void>;
  cancelChallenge(): void;
  /** Whether the form is waiting for something in progress. */
  isBusy(): boolean;
  /**
   * Calls `listener` each time the session is opened, starting with the first, and says whether a payment is in
   * progress. Listeners are called in the order they were added.
   */
  onOpened(listener: OpenedListener): void;
  /** Calls `listener` when the service doesn't know the session, or rejects the secret. */
  onRefused(listener: () => void): void;
}

type OpenedListener = (session: FrameSession["session"], isPaymentPending: boolean) => void;

export interface FlowWorld extends Omit<StepsWorld, "opened" | "refused">, AttemptWorld {
  screen: StepsWorld["screen"];
  host: StepsWorld["host"];
  follower: PaymentFollower;
  reload(): void;
}

export function createPaymentFlow(world: FlowWorld): PaymentFlow {
  const { api, screen, host } = world;
  const openedListeners: OpenedListener[] = [];
  const refusedListeners: (() => void)[] = [];
  const takeStep = createPaymentSteps({
    ...world,
    opened(session, isPaymentPending) {
      shownVersion = session.version;
      for (const listener of openedListeners) listener(session, isPaymentPending);
    },
    refused() {
      for (const listener of refusedListeners) listener();
    },
  });
  /** Of the order that the page shows. `api.session()` may be newer, because renewing a token doesn't show it. */
  let shownVersion: number | undefined;
  let isRunning = false;
  /** The session is being read again while the form can be used. */
  let reading: ReturnType<FrameApi["open"]> | null = null;
  let refreshing: Promise<void> | null = null;
  let nextRefresh: Promise<void> | null = null;
  /** A refresh came during the payment that is being followed, so the session must be read again after it. */
  let mustRefresh = false;
  /** Continues from the paused state that the page shows. */
  let resume: (() => Promise<void>) | null = null;
  let mustReload = false;
  void world.bankLoaded.then((isLoaded) => (mustReload = !isLoaded));

  /** Runs one payment at a time. If an unexpected error occurs, the outcome is shown as unknown. */
  const run = async (from: State, attempt = createAttempt(world)): Promise<void> => {
    if (isRunning) return;
    isRunning = true;
    resume = null;
    let state: State | null = from;
    try {
      while (state && !isPaused(state)) state = await takeStep(state, attempt);
      if (state) pause(state.name, attempt);
    } catch (error) {
      host.emit("error", { code: "internal" });
      pause("unknown", attempt);
      throw error;
    } finally {
      isRunning = false;
      if (mustRefresh && !resume && !attempt.isSubmitted && api.session()?.status === "open") void refresh();
      mustRefresh = false;
    }
  };

  /** The same attempt continues, because if the host page knows about it, it must also learn how it ended. */
  const pause = (name: PausedState["name"], attempt: Attempt) => {
    const isUnknown = name === "unknown";
    const next = async () => {
      if (mustReload) world.reload();
      else await run({ name: isUnknown ? "checking" : "opening" }, attempt);
    };
    resume = next;
    screen.result(name, { label: isUnknown ? "checkAgain" : "retry", press: () => void next() });
  };

  const readAgain = async () => {
    if (resume) return void resume(); // can take minutes
    if (isRunning) return void (mustRefresh = true);
    reading = api.open();
    let opened;
    try {
      opened = await reading;
    } finally {
      reading = null;
    }
    // If Pay was pressed meanwhile, its run uses this response, and this one doesn't start. This doesn't wait for the end of
    // a payment that was found in progress, which can take minutes.
    if (opened.kind !== "unreachable")
      await Promise.race([run({ name: "opened", opened }), new Promise((resolve) => setTimeout(resolve))]);
  };
  const refresh = () => {
    nextRefresh = null;
    return (refreshing = readAgain().finally(() => (refreshing = null)));
  };

  return {
    begin: (request) => run({ name: "opening", request }),
    pay(card, version = shownVersion) {
      if (isRunning) return Promise.resolve({ type: "busy" });
      return new Promise((resolve) => {
        const attempt = createAttempt(world, version, resolve);
        // The browser may be wrong about being offline, so the service is asked. That request contains no card data.
        const request = reading ?? (world.isOnline() ? null : api.open());
        void run({ name: "pressed", card, request }, attempt).finally(attempt.resolve);
      });
    },
    refresh() {
      // What the request in progress reads may be older than what this call is about.
      if (refreshing) return (nextRefresh ??= refreshing.then(refresh));
      return refresh();
    },
    async online() {
      await resume?.();
    },
    shownVersion: () => shownVersion,
    cancelChallenge: world.follower.cancelChallenge,
    isBusy: () => isRunning,
    onOpened: (listener) => void openedListeners.push(listener),
    onRefused: (listener) => void refusedListeners.push(listener),
  };
}

function isPaused(state: State): state is PausedState {
  return state.name === "unreachable" || state.name === "unknown";
}
