/**
 * One try to pay after another, until the session is over: opens the session, shows the form, sends the card. What comes after that is a file of its own
 * (`settle-payment.ts`), fetched while the card is on its way, or when an opened session has more to show than a form.
 *
 * ```
 * opening --open, nothing under way--> form --Pay--> submitting --answer, or silence--> settling --declined--> form
 *    +------ a payment under way, or an end ------------------------------------------------^
 * ```
 * A session of mode `setup` goes the same way: what is called a payment here saves the card, charges nothing and ends as `succeeded`.
 * Only the screen's words differ.
 *
 * One payment at a time: a second press finds the first one running. Where the code for what follows cannot be had, the payment stays with the
 * service, the page says that it does not know, and only a new document goes on.
 */
import type { FramePayment, FrameSession } from "@oriel/protocol/frame";
import type { Submission } from "@oriel/protocol/windows";
import type { CardFields } from "./card-fields.ts";
import type { Card } from "./check-card.ts";
import type { FrameApi, Outcome } from "./frame-api.ts";
import type { CallResult } from "./frame-call.ts";
import type { HostLink } from "./host-link.ts";
import type { Screen } from "./screen.ts";
import type { Settlement } from "./settle-payment.ts";

export interface PaymentFlow {
  /** Opens the session and shows where it stands. */
  begin(opening?: Promise<CallResult>): Promise<void>;
  /** Settles when the try is over, or when the customer was told that the bank takes its time. */
  pay(card: Card): Promise<Submission>;
  /** Asks the service where the session stands, unless a payment is being followed already, or only another document could go on. */
  refresh(): Promise<void>;
  cancelChallenge(): void;
  isBusy(): boolean;
}

export interface FlowWorld {
  api: Pick<FrameApi, "open" | "session">;
  screen: Pick<Screen, "form" | "busy" | "notice" | "result">;
  host: Pick<HostLink, "tell">;
  fields: Pick<CardFields, "wipe">;
  /** Encrypts a card under the session that is open, and sends it. */
  send(card: Card): Promise<Outcome<FramePayment>>;
  /** Fetches the code for what comes after Pay, once; null when it cannot be had. */
  fetchSettlement(control: FlowControl): Promise<Settlement | null>;
  /** Called with every session that was opened, the first time and after. */
  opened(session: FrameSession["session"]): void;
  /** The service knows no such session, or not with this secret. */
  refused(): void;
  /** Begins anew with a document of its own. */
  reload(): void;
}

/** What one run of the flow has told so far. */
export interface Run {
  /** The host page was told that something is on its way. */
  isTold: boolean;
  /** How the try ends, for whoever asked for it. Whatever says nothing of its own on the way did not pay. */
  ending: Submission;
  /** Gives whoever asked for it the ending. */
  answer(): void;
}

/** What the settlement asks of the flow. */
export interface FlowControl {
  /** Shows where an opened session stands; `notice` is what to say above a form that may be used again. */
  stand(run: Run, opened: Outcome<FrameSession>, notice: "notStarted" | null): Promise<void>;
  /** Nobody knows how it ended. The customer can have it looked up. */
  unknown(): void;
  /** Nothing more can be done in this document. */
  stuck(): void;
  /** The form was up in this document: what ends now ends under the customer's eyes. */
  wasOpen(): boolean;
}

export function createPaymentFlow(world: FlowWorld): PaymentFlow {
  const { api, screen, host } = world;
  let isRunning = false;
  let isStuck = false;
  let wasOpen = false;
  let fetching: Promise<Settlement | null> | null = null;
  let fetched: Settlement | null = null;

  /** Runs one thing at a time. A bug on the way leaves the outcome unknown, and says so. */
  const alone = async (work: (run: Run) => Promise<void>, run = newRun()): Promise<void> => {
    if (isRunning) return;
    isRunning = true;
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
    async stand(run, opened, notice) {
      if (opened.kind !== "answer") {
        host.tell("error", { code: "session_invalid" });
        world.refused();
        world.fields.wipe();
        return screen.result("invalid");
      }
      const { session, payment } = opened.body;
      world.opened(session);
      wasOpen ||= session.status === "open";
      const isUnderWay = payment !== null && payment.status !== "declined";
      // Found under way, by a reload or from another tab: for the host page that is a try like any other.
      if (isUnderWay && payment.status !== "succeeded" && payment.status !== "requires_confirmation") submitted(run);
      if (isUnderWay || session.status !== "open") {
        return settle((settlement) => settlement.find(run, session, isUnderWay ? payment : null));
      }
      screen.form();
      if (notice) screen.notice(notice);
    },
    unknown() {
      const press = () => void alone((run) => settle((settlement) => settlement.recover(run)));
      screen.result("unknown", { label: "lookUpAgain", press });
    },
    stuck() {
      isStuck = true;
      host.tell("error", { code: "network" });
      screen.result("unknown", { label: "lookUpAgain", press: world.reload });
    },
    wasOpen: () => wasOpen,
  };

  const submitted = (run: Run) => {
    if (!run.isTold) host.tell("submit", {});
    run.isTold = true;
  };

  const fetchOnce = (): Promise<Settlement | null> => (fetching ??= world.fetchSettlement(control));

  const settle = async (work: (settlement: Settlement) => Promise<void>): Promise<void> => {
    fetched = await fetchOnce();
    return fetched ? work(fetched) : control.stuck();
  };

  const begin = async (run: Run, opening?: Promise<CallResult>): Promise<void> => {
    const opened = await api.open(opening);
    if (opened.kind !== "unreachable") return control.stand(run, opened, null);
    host.tell("error", { code: "network" });
    screen.result("unreachable", { label: "retry", press: () => void alone((next) => begin(next)) });
  };

  const attempt = async (run: Run, card: Card): Promise<void> => {
    screen.busy("submitting");
    submitted(run);
    void fetchOnce(); // meanwhile; that it failed is said when the card has been sent, and not before
    const triesBefore = api.session()?.attempts_left;
    const send = () => world.send(card);
    const sent = await send();
    await settle((settlement) => settlement.settle(run, sent, triesBefore, send));
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
    refresh: () =>
      alone(async (run) => {
        if (isStuck) return;
        const opened = await api.open();
        if (opened.kind !== "unreachable") await control.stand(run, opened, null);
      }),
    cancelChallenge: () => fetched?.cancelChallenge(),
    isBusy: () => isRunning,
  };
}

function newRun(answer: () => void = () => {}): Run {
  return { isTold: false, ending: { type: "failed" }, answer };
}
