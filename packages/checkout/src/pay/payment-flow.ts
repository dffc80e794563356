/**
 * One try to pay after another, until the session is over: opens the session, shows the form, sends the card. What
 * comes after that is a file of its own (`settle-payment.ts`).
 *
 * ```
 * opening --open, nothing under way--> form --Pay--> submitting --answer, or silence--> settling --declined--> form
 *    +------ a payment under way, or an end ------------------------------------------------^
 * ```
 * A session of mode `setup` goes the same way: what is called a payment here saves the card, charges nothing and ends
 * as `succeeded`. Only the screen's words differ.
 *
 * One payment at a time: a second press finds the first one running. A press while the browser is off the network sends
 * nothing, and says so. One while the session is asked about again waits for the answer, and pays if the form can still
 * be used.
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
  /** Opens the session and shows where it stands. */
  begin(opening?: Promise<CallResult>): Promise<void>;
  /** Settles when the try is over, or when the customer was told that the bank takes its time. */
  pay(card: Card): Promise<Submission>;
  /**
   * Asks the service where the session stands, unless a payment is being followed already. Where nobody knows how one
   * ended, asks until it says.
   */
  refresh(): Promise<void>;
  /** The network is back. Does nothing where the page knows how the session stands. */
  online(): Promise<void>;
  cancelChallenge(): void;
  /** Something is under way that the form waits for. */
  isBusy(): boolean;
  /**
   * Calls `listener` with every session that was opened, the first time and after; the first to ask is called first.
   */
  onOpened(listener: (session: FrameSession["session"]) => void): void;
  /** Calls `listener` when the service knows no such session, or not with this secret. */
  onRefused(listener: () => void): void;
}

export interface FlowWorld {
  api: Pick<FrameApi, "open" | "mayHaveSent">;
  screen: Pick<Screen, "form" | "busy" | "notice" | "result">;
  host: Pick<HostPage, "tell">;
  fields: Pick<CardFields, "wipe">;
  /** Encrypts a card under the session that is open, and sends it. */
  send(card: Card): Promise<Outcome<FramePayment>>;
  /** Whether the browser has a network, as far as it knows. */
  isOnline(): boolean;
  settlement(control: FlowControl): Settlement;
}

export function createPaymentFlow(world: FlowWorld): PaymentFlow {
  const { api, screen, host } = world;
  const openedListeners: ((session: FrameSession["session"]) => void)[] = [];
  const refusedListeners: (() => void)[] = [];
  let isRunning = false;
  /** The session is asked about again, while the form can be used. */
  let asking: ReturnType<FrameApi["open"]> | null = null;
  /** What finds out where the session stands, while the page says that it could not. */
  let findOut: ((run: Run) => Promise<void>) | null = null;

  /** Runs one thing at a time. A bug on the way leaves the outcome unknown, and says so. */
  const alone = async (work: (run: Run) => Promise<void>, run = newRun()): Promise<void> => {
    if (isRunning) return;
    isRunning = true;
    findOut = null;
    try {
      await work(run);
    } catch (error) {
      host.tell("error", { code: "internal" });
      control.unknown();
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
      for (const listener of openedListeners) listener(session);
      // What came of a request of this page's is shown, whatever it is.
      const isUnderWay = payment !== null && (received || payment.status !== "declined");
      // Found under way, by a reload or from another tab: for the host page that is a try like any other.
      if (isUnderWay && payment.status !== "succeeded" && payment.status !== "requires_confirmation") submitted(run);
      if (isUnderWay || session.status !== "open") {
        return settlement.find(run, session, isUnderWay ? payment : null);
      }
      // The host page has heard of this try: just now, or before the service could be asked about it.
      if (run.isTold || received === false) return settlement.notTaken(run, "notStarted");
      if (send) return send();
      screen.form();
      if (notice) screen.notice(notice);
    },
    unknown: () => offer("unknown", "lookUpAgain", settlement.recover),
  };

  const submitted = (run: Run) => {
    if (!run.isTold) host.tell("submit", {});
    run.isTold = true;
  };

  const settlement = world.settlement(control);

  /**
   * Says that it is not known where the session stands; it is found out when the customer says so, or the network is
   * back.
   */
  const offer = (name: "unknown" | "unreachable", label: Press["label"], work: (run: Run) => Promise<void>) => {
    findOut = work;
    screen.result(name, { label, press: () => void alone(work) });
  };

  const begin = async (run: Run, opening?: Promise<CallResult>): Promise<void> => {
    const opened = await api.open(opening);
    if (opened.kind !== "unreachable") return control.stand(run, opened, null);
    host.tell("error", { code: "network" });
    // Sent before a reload: the page can't say that nothing was.
    if (api.mayHaveSent()) control.unknown();
    else offer("unreachable", "retry", (next) => begin(next));
  };

  const attempt = async (run: Run, card: Card): Promise<void> => {
    screen.busy("submitting");
    const send = () => world.send(card);
    const submit = async () => {
      submitted(run);
      await settlement.settle(run, await send(), send);
    };
    // The browser may be wrong about its network, so the service is asked: nothing of the card goes with that.
    const opened = await (asking ?? (world.isOnline() ? null : api.open()));
    if (opened && opened.kind !== "unreachable") return control.stand(run, opened, null, submit);
    return !opened || world.isOnline() ? submit() : settlement.notTaken(run, "offline");
  };

  return {
    begin: (opening) => alone((run) => begin(run, opening)),
    pay(card) {
      if (isRunning) return Promise.resolve({ type: "busy" });
      return new Promise((resolve) => {
        const run = newRun(() => resolve(run.ending));
        void alone(() => attempt(run, card), run).finally(run.answer);
      });
    },
    async refresh() {
      if (findOut) return alone(findOut);
      if (isRunning || asking) return;
      asking = api.open();
      // Whoever presses Pay meanwhile goes on from the same answer, and is first.
      const opened = await asking.finally(() => (asking = null));
      if (opened.kind !== "unreachable") await alone((run) => control.stand(run, opened, null));
    },
    async online() {
      if (findOut) await alone(findOut);
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
