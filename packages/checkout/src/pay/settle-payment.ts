/**
 * What comes after Pay, from the answer to a card that was sent to the end that the customer and the host page are
 * told. What happened is always the service's word; this file only asks.
 *
 * ```
 * three_ds --> authenticating --> challenge | decoupled --> processing --> succeeded | requires_confirmation | declined
 * ```
 * After silence, nobody guesses: the session is opened again, and the service says whether it has the request. If so,
 * the page shows its outcome; if not, it never will (`service/frame-api.ts`), and the customer and the host page are
 * told so. A card message that the service calls stale is made again once, unseen, if the first one was not taken.
 */
import type { CustomerReason } from "@oriel/protocol/declines";
import type { FramePayment, FrameSession } from "@oriel/protocol/frame";
import type { Submission } from "@oriel/protocol/windows";
import type { CardFields } from "../form/card-fields.ts";
import type { Outcome } from "../service/frame-api.ts";
import { createPaymentFollower } from "./follow-payment.ts";
import type { FollowWorld } from "./follow-payment.ts";
import type { HostPage } from "../host/host-page.ts";
import { returnAddress } from "../host/return-address.ts";
import type { OutcomeScreen } from "../page/outcome-screen.ts";
import type { Screen } from "../page/screen.ts";
import type { NoticeName } from "../texts/texts.ts";

type Session = FrameSession["session"];

/** What one run of the payment flow has told so far. */
export interface Run {
  /** The host page was told that something is on its way. */
  isTold: boolean;
  /** How the try ends, for whoever asked for it. Whatever says nothing of its own on the way did not pay. */
  ending: Submission;
  /** Gives whoever asked for it the ending. */
  answer(): void;
}

/** What the settlement asks of the payment flow. */
export interface FlowControl {
  /**
   * Shows where an opened session stands.
   * @param notice what to say above a form that may be used again
   * @param send goes on with a press instead of showing the form
   */
  stand(
    run: Run,
    opened: Outcome<FrameSession>,
    notice: "notStarted" | null,
    send?: () => Promise<void>,
  ): Promise<void>;
  /** Nobody knows how it ended. It is looked up when the customer says so, or the network is back. */
  unknown(): void;
}

export interface Settlement {
  /** An opened session has more to show than a form: a payment under way, or, without one, its own end. */
  find(run: Run, session: Session, payment: FramePayment | null): Promise<void>;
  /**
   * A card was sent, and this came of it.
   * @param again sends the card again, in a message of its own
   */
  settle(run: Run, sent: Outcome<FramePayment>, again: () => Promise<Outcome<FramePayment>>): Promise<void>;
  /** After silence: asks until the service answers, and lets nobody pay before it has. */
  recover(run: Run): Promise<void>;
  /** The try came to nothing, and the form can be used again: tells the customer and the host page the same. */
  notTaken(run: Run, why: NotTaken): void;
  cancelChallenge(): void;
}

export interface SettlementWorld extends Omit<FollowWorld, "screen"> {
  screen: Screen & OutcomeScreen;
  host: Pick<HostPage, "tell">;
  fields: Pick<CardFields, "wipe" | "wipeCvc">;
  /** What the service refused of what stands beside the card: whether it can go without, and what to show if not. */
  beside: { leaveOut(param: string): boolean; refuse(param: string): void };
  /** What the customer reads after this refusal. */
  declineSentence(session: Session, reason: CustomerReason): string;
  /** What the customer reads above the form. */
  noticeSentence(session: Session, name: NoticeName): string;
}

/** Why a try came to nothing before there was a payment. */
type NotTaken = "offline" | "besideRefused" | "notStarted" | "rateLimited" | "notAccepted" | "testCardsOnly";

/** What `complete` tells beside the session. */
type Completed =
  | { status: "complete" | "processing" }
  | { status: "requires_confirmation"; paymentMethodId: string; decisionId: string };

/** After silence: asked nine times, a second apart at first, then two, four and eight. */
const reconnectTries = 9;
/** Why, after a refusal that left the session as it was. */
const reasons = new Map<string, NotTaken>([
  ["rate_limited", "rateLimited"],
  ["card_message_invalid", "notAccepted"],
  ["not_a_test_card", "testCardsOnly"],
  // What stands beside the card is not what it should be: an email of another form than ours allows, say.
  ["parameter_invalid", "notAccepted"],
]);
/** How often a customer may fail in one session: the service counts, and says how many are left. */
const attemptsInAll = 5;
/** The service's time is known but for a moment. */
const clockToleranceMs = 5_000;

export function createSettlement(world: SettlementWorld, control: FlowControl): Settlement {
  const { api, screen, fields, host, wait, now } = world;
  const follower = createPaymentFollower(world);

  const find: Settlement["find"] = async (run, session, payment) => {
    if (payment) return follow(run, payment, true);
    switch (session.status) {
      case "open":
        throw new Error("Bug: no payment");
      case "complete":
        return succeeded(run);
      case "expired":
      case "canceled":
        return over(session, session.status);
    }
  };

  const settle: Settlement["settle"] = async (run, first, again) => {
    let sent = first;
    if (sent.kind === "refused" && sent.code === "card_message_stale") {
      // Browsers send a POST again by themselves when a kept-alive connection breaks (Chromium does), so a spent nonce
      // can be the echo of a message that was taken. Only one that was not gets a second message.
      const opened = await api.open();
      if (opened.kind === "unreachable") return recover(run);
      const isFree = opened.kind === "answer" && !opened.body.payment && opened.body.session.status === "open";
      if (!isFree) return control.stand(run, opened, "notStarted");
      sent = await again();
    }
    while (sent.kind === "refused" && sent.param && world.beside.leaveOut(sent.param)) sent = await again();
    if (sent.kind === "answer") return follow(run, sent.body, false);
    const why = sent.kind === "refused" && reasons.get(sent.code);
    if (why && sent.kind === "refused" && sent.param?.startsWith("billing_details.")) {
      notTaken(run, "besideRefused");
      return world.beside.refuse(sent.param);
    }
    // Silence; or the session is not what this page thought it was: closed, paid in another tab, unknown. Look.
    return why ? notTaken(run, why) : recover(run);
  };

  const recover = async (run: Run): Promise<void> => {
    screen.busy("reconnecting");
    screen.notice("connectionLost");
    for (let tries = 0; tries < reconnectTries; tries++) {
      const opened = await api.open();
      if (opened.kind !== "unreachable") return control.stand(run, opened, "notStarted");
      await wait.for(Math.min(1_000 * 2 ** tries, 8_000));
    }
    host.tell("error", { code: "network" });
    control.unknown();
  };

  const notTaken: Settlement["notTaken"] = (run, why) => {
    const session = known();
    const message = world.noticeSentence(session, why);
    // Nobody looked at the card, except where it was not one for tests.
    const code = why === "testCardsOnly" ? "check_card" : "try_again";
    run.ending = { type: "decline", code, message, retryable: true };
    // Nothing was on its way: the host page has not heard of this try.
    if (why !== "offline") {
      // Not counted as a failure, so the next one has the same number.
      const attempt = attemptsInAll - session.attempts_left + 1;
      host.tell("decline", { code, message, retryable: true, attempt, attemptsLeft: session.attempts_left });
    }
    run.isTold = false;
    screen.form();
    screen.notice(why);
  };

  /** Follows a payment to its end and shows that. */
  const follow = async (run: Run, first: FramePayment, resumed: boolean): Promise<void> => {
    const payment = await follower.follow(first, resumed, () => {
      completed(run, { status: "processing" });
      run.answer();
    });
    if (payment === "lost") return recover(run);
    if (payment === "endless") return control.unknown();
    switch (payment.status) {
      case "succeeded":
        return succeeded(run);
      case "requires_confirmation":
        fields.wipe();
        completed(run, {
          status: payment.status,
          paymentMethodId: payment.payment_method_id,
          decisionId: payment.decision_id,
        });
        return finished(run, "requires_confirmation");
      case "declined":
        return declined(run, payment);
    }
  };

  const known = (): Session => {
    const session = api.session();
    if (!session) throw new Error("Bug: no session");
    return session;
  };

  const completed = (run: Run, told: Completed) => {
    const session = known();
    const returnUrl = session.return_url && returnAddress(session.return_url, session.id);
    host.tell("complete", { ...told, sessionId: session.id, returnUrl });
    run.ending = { type: told.status, sessionId: session.id };
  };

  const succeeded = (run: Run) => {
    fields.wipe();
    completed(run, { status: "complete" });
    finished(run, "succeeded");
  };

  const finished = (run: Run, name: "succeeded" | "requires_confirmation") =>
    screen.finished(known(), name, run.isTold);

  const declined = (
    run: Run,
    { reason, retryable, cardholder_info }: Extract<FramePayment, { status: "declined" }>,
  ) => {
    fields.wipeCvc();
    run.isTold = false;
    const session = known();
    const attemptsLeft = session.attempts_left;
    // Our own sentence, without the bank's: what the bank wrote is for the customer.
    const message = world.declineSentence(session, reason);
    host.tell("decline", { code: reason, message, retryable, attempt: attemptsInAll - attemptsLeft, attemptsLeft });
    run.ending =
      reason === "authentication_canceled"
        ? { type: "canceled" }
        : { type: "decline", code: reason, message, retryable };
    if (retryable) return screen.declined(session, reason, cardholder_info);
    // Paid from another tab meanwhile, or not what this page thinks: look.
    if (session.status === "open" || session.status === "complete") return recover(run);
    return over(session, session.status);
  };

  /**
   * Time that ran out is told as `expire`, which the shop may renew, also where it ran out before this page was opened:
   * the form had been away. Five failures, or the shop's own word, are an error: nothing renews those.
   */
  const over = ({ attempts_left, expires_at }: Session, status: "expired" | "canceled") => {
    fields.wipe();
    const isFailed = status === "expired" && attempts_left === 0;
    const isTimeOver = status === "expired" && !isFailed && now() >= expires_at * 1000 - clockToleranceMs;
    if (isTimeOver) host.tell("expire", {});
    else host.tell("error", { code: status === "expired" ? "session_expired" : "session_invalid" });
    screen.result(isFailed ? "ended" : status);
  };

  return { find, settle, recover, notTaken, cancelChallenge: follower.cancelChallenge };
}
