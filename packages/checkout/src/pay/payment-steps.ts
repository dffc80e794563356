/**
 * The steps of a payment, from opening the session to the outcome that the customer and the host page see. Each step
 * takes a state and returns the next one, or null once the page shows the form or a result. Only the loop in
 * `payment-flow.ts` calls them. Only the service knows what happened, so the steps ask it.
 *
 * ```
 * opening --------> opened     | unreachable | unknown, if a request may have been sent before a reload
 * pressed --------> sending    | opened, if the session is being opened again or has changed | form, if offline |
 *                   unreachable, if the bank's steps can't be loaded
 * opened ---------> following, if a payment is in progress | sending, if Pay was pressed for this order | form | the
 *                   session's end | unknown, if the URL was replaced and a request may have been sent
 * sending --------> following  | checking, without a response | form, if refused | opened, if the card may have arrived,
 *                   or if the order has changed
 * following ------> an outcome | checking, if it isn't clear | unknown, after two hours or without the bank's steps
 * checking -------> opened     | unknown, if the service doesn't respond
 * unknown --------> checking   \ when the customer presses the button, or the network is back
 * unreachable ----> opening    /
 * ```
 * In `checking`, the session is opened again and the service says whether it has the request. If so, the page shows its
 * outcome. If not, the request will never be accepted (`service/frame-api.ts`), and the customer and the host page are
 * told so. If the service reports in `sending` that a card message is stale and it wasn't accepted, a new one is created
 * and sent once, without telling the customer.
 */
import type { FramePayment, FrameSession } from "@oriel/protocol/frame";
import type { Card } from "../form/check-card.ts";
import type { Screen } from "../page/screen.ts";
import type { FrameApi, Outcome } from "../service/frame-api.ts";
import type { CallResult } from "../service/frame-call.ts";
import type { WakeableWait } from "../service/wakeable-wait.ts";
import type { Attempt, FailureReason } from "./attempt.ts";
import { hasEnded } from "./follow-payment.ts";
import type { PaymentFollower } from "./follow-payment.ts";
import { createOutcomes } from "./show-outcome.ts";
import type { OutcomesWorld } from "./show-outcome.ts";

type Session = FrameSession["session"];
type Notice = "notStarted" | "orderChanged";
type Of<Name> = Extract<State, { name: Name }>;

export type State =
  | { name: "opening"; /** In progress since the page began to load. */ request?: Promise<CallResult> | undefined }
  | {
      name: "pressed";
      card: Card | null;
      /** The session is being opened again; null if the card can be sent at once. */
      request: Promise<Outcome<FrameSession>> | null;
    }
  | {
      name: "opened";
      opened: Outcome<FrameSession>;
      /** Pay was pressed with this card, or with null because the order needs none. */
      card?: Card | null;
      /** Shown above the form if it can be used again. */
      notice?: Notice;
    }
  | { name: "sending"; card: Card | null }
  | { name: "following"; payment: FramePayment; /** The page found it in progress. */ isFound: boolean }
  | { name: "checking"; notice?: Notice }
  | PausedState;

/** States that the page shows with a button that continues. */
export interface PausedState {
  name: "unreachable" | "unknown";
}

/** Takes the step from a state, and returns the next state. */
export type TakeStep = (state: Exclude<State, PausedState>, attempt: Attempt) => Promise<State | null>;

export interface StepsWorld extends OutcomesWorld {
  api: Pick<FrameApi, "open" | "session" | "mayHaveSent">;
  screen: Pick<Screen, "form" | "busy" | "notice"> & OutcomesWorld["screen"];
  follower: Pick<PaymentFollower, "follow">;
  wait: Pick<WakeableWait, "for">;
  /** Whether the code for the steps with the bank could be loaded. Without it, no payment starts. */
  bankLoaded: Promise<boolean>;
  /**
   * Encrypts a card for the open session, and sends it to pay for this version of the order. Without a card, places an
   * order that costs nothing.
   */
  send(card: Card | null, version: number | undefined): Promise<Outcome<FramePayment>>;
  /** Whether the browser believes it is online. */
  isOnline(): boolean;
  /**
   * Handles a billing detail that the service refused: whether the payment can continue without it, and the error to
   * show if not.
   */
  billing: { leaveOut(param: string): boolean; refuse(param: string): void };
  /** Called each time the session is opened. */
  opened(session: Session, isPaymentPending: boolean): void;
  /** Called when the service doesn't know the session, or rejects the secret. */
  refused(): void;
}

/** How often to open the session after a request without a response, with waits of 1, 2, 4 and then 8 seconds. */
const checks = 9;
/** The notice, by error code, for refusals after which the session must be opened again. */
const unpaid = new Map<string, Notice>([
  ["session_changed", "orderChanged"],
  ["client_secret_invalid", "notStarted"],
]);
/** The reason, by error code, for refusals that left the session unchanged. */
const reasons = new Map<string, FailureReason>([
  ["rate_limited", "rateLimited"],
  ["card_message_invalid", "notAccepted"],
  ["not_a_test_card", "testCardsOnly"],
  // A billing detail isn't valid, for example an email format that we don't accept.
  ["parameter_invalid", "notAccepted"],
]);

export function createPaymentSteps(world: StepsWorld): TakeStep {
  const { api, screen, host, fields } = world;
  const outcomes = createOutcomes(world);

  const takeOpened = ({ opened, card, notice }: Of<"opened">, attempt: Attempt): State | null => {
    if (opened.kind !== "answer") {
      world.refused();
      // The session's URL may have been replaced. Then this page can't find out what became of its request or payment.
      if (attempt.isSubmitted || api.mayHaveSent()) return endUnknown();
      host.emit("error", { code: "session_invalid" });
      fields.wipe();
      screen.result("invalid");
      return null;
    }
    const { session, payment, received } = opened.body;
    // The outcome of this page's own request is always shown.
    const isFound = payment !== null && (received || payment.status !== "declined");
    const isPending = isFound && payment.status !== "succeeded" && payment.status !== "requires_confirmation";
    world.opened(session, isPending);
    // A payment found in progress, after a reload or from another tab, counts as an attempt like any other for the
    // host page.
    if (isPending) attempt.submit();
    if (isFound) return { name: "following", payment, isFound };
    if (session.status !== "open") outcomes.endSession(session, session.status, attempt);
    // The host page knows about this attempt: from this page, or from before a reload.
    else if (attempt.isSubmitted || received === false) attempt.fail(session, notice ?? "notStarted");
    else if (card !== undefined) {
      if (session.version === attempt.version) return { name: "sending", card };
      attempt.fail(session, "orderChanged");
    } else {
      screen.form();
      if (notice) screen.notice(notice);
    }
    return null;
  };

  const takeSending = async ({ card }: Of<"sending">, attempt: Attempt): Promise<State | null> => {
    attempt.submit();
    let sent = await world.send(card, attempt.version);
    if (sent.kind === "refused" && sent.code === "card_message_stale") {
      // Browsers repeat a POST when a kept-alive connection breaks (Chromium does), so a used nonce may be the
      // repetition of an accepted message. Only a message that wasn't accepted is sent again.
      const opened = await api.open();
      if (opened.kind === "unreachable") return { name: "checking" };
      const isFree = opened.kind === "answer" && !opened.body.payment && opened.body.session.status === "open";
      if (!isFree) return { name: "opened", opened, notice: "notStarted" };
      sent = await world.send(card, attempt.version);
    }
    while (sent.kind === "refused" && sent.param && world.billing.leaveOut(sent.param))
      sent = await world.send(card, attempt.version);
    if (sent.kind === "answer") return { name: "following", payment: sent.body, isFound: false };
    const { code = "", param = "" } = sent.kind === "refused" ? sent : {};
    const notice = unpaid.get(code);
    if (notice) {
      attempt.fail(known(), notice); // nothing was paid, whatever the session turns out to be
      const opened = await api.open();
      return opened.kind === "unreachable" ? { name: "checking", notice } : { name: "opened", opened, notice };
    }
    const reason = reasons.get(code);
    // There was no response, or the session isn't in the state that this page expected (closed, paid in another tab,
    // unknown), so it's opened again.
    if (!reason) return { name: "checking" };
    const isBilling = param.startsWith("billing_details.");
    attempt.fail(known(), isBilling ? "billingRefused" : reason);
    if (isBilling) world.billing.refuse(param);
    return null;
  };

  const takeChecking = async ({ notice = "notStarted" }: Of<"checking">, attempt: Attempt): Promise<State> => {
    screen.busy("reconnecting");
    screen.notice("connectionLost");
    for (let check = 0; check < checks; check++) {
      const opened = await api.open();
      if (opened.kind !== "unreachable") {
        if (opened.kind === "answer") attempt.release(opened.body);
        return { name: "opened", opened, notice };
      }
      await world.wait.for(Math.min(1_000 * 2 ** check, 8_000));
    }
    return endUnknown();
  };

  const endUnknown = (): State => {
    host.emit("error", { code: "network" });
    return { name: "unknown" };
  };

  const known = (): Session => {
    const session = api.session();
    if (!session) throw new Error("Bug: no session");
    return session;
  };

  return async (state, attempt) => {
    switch (state.name) {
      case "opening": {
        const opened = await api.open(state.request);
        if (opened.kind !== "unreachable") return { name: "opened", opened };
        host.emit("error", { code: "network" });
        // A request may have been sent before a reload, so the page can't say that nothing was.
        return { name: api.mayHaveSent() ? "unknown" : "unreachable" };
      }
      case "pressed": {
        const { card } = state;
        screen.busy("submitting");
        if (card && !(await world.bankLoaded)) {
          host.emit("error", { code: "network" });
          return { name: "unreachable" };
        }
        // The press was for an earlier version of the order, and the page may not show the current one yet.
        const isOutdated = attempt.version !== known().version;
        const opened = await (state.request ?? (isOutdated ? api.open() : null));
        if (opened && opened.kind !== "unreachable") return { name: "opened", opened, card };
        if (!isOutdated && (!opened || world.isOnline())) return { name: "sending", card };
        attempt.fail(known(), "offline");
        return null;
      }
      case "opened":
        return takeOpened(state, attempt);
      case "sending":
        return takeSending(state, attempt);
      case "following": {
        if (!hasEnded(state.payment) && !(await world.bankLoaded)) return endUnknown();
        const payment = await world.follower.follow(state.payment, state.isFound, () => {
          attempt.complete(known(), { status: "processing" });
          attempt.resolve();
        });
        if (payment === "lost") return { name: "checking" };
        if (payment === "endless") return { name: "unknown" };
        return outcomes.endPayment(known(), payment, attempt);
      }
      case "checking":
        return takeChecking(state, attempt);
    }
  };
}
