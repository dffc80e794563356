/**
 * Runs payment attempts until the session is over: opens the session, shows the form, sends the card. What happens
 * after that is in `settle-payment.ts`.
 *
 * ```
 * opening --open, no payment yet--> form --Pay--> submitting --response or none--> settling --declined--> form
 *    +------ payment in progress, or session over ------------------------------------^
 * ```
 * A session of mode `setup` follows the same flow: its "payment" saves the card, charges nothing and ends as
 * `succeeded`. Only the texts on the screen differ.
 *
 * Only one payment runs at a time; a second press gets `busy`. A press while the browser is offline sends nothing and
 * says so. A press while the session is being refreshed waits for the response, and pays if the form can still be used.
 */
import type { FramePayment, FrameSession } from "@oriel/protocol/frame";
import type { Submission } from "@oriel/protocol/windows";
import type { CardFields } from "../form/card-fields.ts";
import type { Card } from "../form/check-card.ts";
import type { FrameApi, Outcome } from "../service/frame-api.ts";
import type { CallResult } from "../service/frame-call.ts";
import type { HostPage } from "../host/host-page.ts";
import type { Press, Screen } from "../page/screen.ts";
import type { FlowControl, Run, Settlement } from "./settle-payment.ts";

export interface PaymentFlow {
  /** Opens the session and shows its state. */
  begin(opening?: Promise<CallResult>): Promise<void>;
  /** Resolves when the attempt is over, or when the customer has been told that the outcome will take a while. */
  pay(card: Card): Promise<Submission>;
  /**
   * Refreshes the session from the service, unless a payment is already being followed. If a payment's outcome is
   * unknown, keeps asking until the service knows it.
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

export interface FlowWorld {
  api: Pick<FrameApi, "open" | "mayHaveSent">;
  screen: Pick<Screen, "form" | "busy" | "notice" | "result">;
  host: Pick<HostPage, "tell">;
  fields: Pick<CardFields, "wipe">;
  /** Encrypts a card for the open session, and sends it. */
  send(card: Card): Promise<Outcome<FramePayment>>;
  /** Whether the browser believes it is online. */
  isOnline(): boolean;
  settlement(control: FlowControl): Settlement;
}

export function createPaymentFlow(world: FlowWorld): PaymentFlow {
  const { api, screen, host } = world;
  const openedListeners: OpenedListener[] = [];
  const refusedListeners: (() => void)[] = [];
  let isRunning = false;
  /** The session is being refreshed while the form can be used. */
  let refreshing: ReturnType<FrameApi["open"]> | null = null;
  /** Finds out the session's state, while the page says that it is unknown. */
  let resolveUnknown: ((run: Run) => Promise<void>) | null = null;

  /** Runs one task at a time. If an unexpected error occurs, the outcome is shown as unknown. */
  const exclusively = async (work: (run: Run) => Promise<void>, run = newRun()): Promise<void> => {
    if (isRunning) return;
    isRunning = true;
    resolveUnknown = null;
    try {
      await work(run);
    } catch (error) {
      host.tell("error", { code: "internal" });
      control.unknown(run);
      throw error;
    } finally {
      isRunning = false;
    }
  };

  const control: FlowControl = {
    async stand(run, opened, notice, send) {
      if (opened.kind !== "answer") {
        host.tell("error", { code: "session_invalid" });
        for (const listener of refusedListeners) listener();
        world.fields.wipe();
        return screen.result("invalid");
      }
      const { session, payment, received } = opened.body;
      // The outcome of this page's own request is always shown.
      const isUnderWay = payment !== null && (received || payment.status !== "declined");
      const isPending = isUnderWay && payment.status !== "succeeded" && payment.status !== "requires_confirmation";
      for (const listener of openedListeners) listener(session, isPending);
      // A payment found in progress, after a reload or from another tab, counts as an attempt like any other for the
      // host page.
      if (isPending) submitted(run);
      if (isUnderWay || session.status !== "open") {
        return settlement.find(run, session, isUnderWay ? payment : null);
      }
      // The host page knows about this attempt: from this page, or from before a reload.
      if (run.isTold || received === false) return settlement.notTaken(run, "notStarted");
      if (send) return send();
      screen.form();
      if (notice) screen.notice(notice);
    },
    unknown({ isTold, decline }) {
      // The host page knows about this attempt, so it must also learn how it ended. The next run is changed instead of
      // copied, because after an unexpected error, `exclusively` passes it on.
      offer("unknown", "lookUpAgain", (next) => settlement.recover(Object.assign(next, { isTold, decline })));
    },
  };

  const submitted = (run: Run) => {
    if (!run.isTold) host.tell("submit", {});
    run.isTold = true;
  };

  const settlement = world.settlement(control);

  /**
   * Shows that the session's state is unknown. It is looked up again when the customer presses the button, or when the
   * network is back.
   */
  const offer = (name: "unknown" | "unreachable", label: Press["label"], work: (run: Run) => Promise<void>) => {
    resolveUnknown = work;
    screen.result(name, { label, press: () => void exclusively(work) });
  };

  const begin = async (run: Run, opening?: Promise<CallResult>): Promise<void> => {
    const opened = await api.open(opening);
    if (opened.kind !== "unreachable") return control.stand(run, opened, null);
    host.tell("error", { code: "network" });
    // A request may have been sent before a reload, so the page can't say that nothing was.
    if (api.mayHaveSent()) control.unknown(run);
    else offer("unreachable", "retry", (next) => begin(next));
  };

  const attempt = async (run: Run, card: Card): Promise<void> => {
    screen.busy("submitting");
    const send = () => world.send(card);
    const submit = async () => {
      submitted(run);
      await settlement.settle(run, await send(), send);
    };
    // The browser may be wrong about being offline, so the service is asked. That request contains no card data.
    const opened = await (refreshing ?? (world.isOnline() ? null : api.open()));
    if (opened && opened.kind !== "unreachable") return control.stand(run, opened, null, submit);
    return !opened || world.isOnline() ? submit() : settlement.notTaken(run, "offline");
  };

  return {
    begin: (opening) => exclusively((run) => begin(run, opening)),
    pay(card) {
      if (isRunning) return Promise.resolve({ type: "busy" });
      return new Promise((resolve) => {
        const run = newRun(() => resolve(run.ending));
        void exclusively(() => attempt(run, card), run).finally(run.answer);
      });
    },
    async refresh() {
      if (resolveUnknown) return exclusively(resolveUnknown);
      if (isRunning || refreshing) return;
      refreshing = api.open();
      // A press of Pay meanwhile uses the same response, and goes first.
      const opened = await refreshing.finally(() => (refreshing = null));
      if (opened.kind !== "unreachable") await exclusively((run) => control.stand(run, opened, null));
    },
    async online() {
      if (resolveUnknown) await exclusively(resolveUnknown);
    },
    cancelChallenge: () => settlement.cancelChallenge(),
    isBusy: () => isRunning,
    onOpened: (listener) => void openedListeners.push(listener),
    onRefused: (listener) => void refusedListeners.push(listener),
  };
}

function newRun(answer: () => void = () => {}): Run {
  return { isTold: false, ending: { type: "failed" }, answer };
}
