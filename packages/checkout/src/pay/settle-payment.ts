/**
 * Handles what comes after Pay, from the response to a card to the outcome that the customer and the host page see.
 * Only the service knows what happened; this file asks it.
 *
 * ```
 * three_ds --> authenticating --> challenge | decoupled --> processing --> succeeded | requires_confirmation | declined
 * ```
 * If there is no response, the session is opened again and the service says whether it has the request. If so, the page
 * shows its outcome. If not, the request will never be accepted (`service/frame-api.ts`), and the customer and the host
 * page are told so. If the service reports that a card message is stale and it wasn't accepted, a new one is created
 * and sent once, without telling the customer.
 */
import type { CustomerReason } from "@oriel/protocol/declines";
import type { FramePayment, FrameSession } from "@oriel/protocol/frame";
import type { FrameEvents, Submission } from "@oriel/protocol/windows";
import type { CardFields } from "../form/card-fields.ts";
import type { Outcome } from "../service/frame-api.ts";
import { createPaymentFollower } from "./follow-payment.ts";
import type { FollowWorld } from "./follow-payment.ts";
import type { HostPage } from "../host/host-page.ts";
import { returnPageUrl } from "../host/return-url.ts";
import type { OutcomeScreen } from "../page/outcome-screen.ts";
import type { Screen } from "../page/screen.ts";
import type { NoticeName } from "../texts/texts.ts";

type Session = FrameSession["session"];

/** What one run of the payment flow has reported so far. */
export interface Run {
  /** The host page was told that a payment was submitted. */
  isTold: boolean;
  /** A decline that isn't reported before it's certain that the session wasn't paid in another tab. */
  decline?: FrameEvents["decline"] | undefined;
  /** The attempt's result, for whoever started it. The initial value means that nothing was paid. */
  ending: Submission;
  /** Returns the result to whoever started the attempt. */
  answer(): void;
}

/** What the settlement needs from the payment flow. */
export interface FlowControl {
  /**
   * Shows the state of an opened session.
   * @param notice shown above the form if it can be used again
   * @param send continues a press instead of showing the form
   */
  stand(
    run: Run,
    opened: Outcome<FrameSession>,
    notice: "notStarted" | null,
    send?: () => Promise<void>,
  ): Promise<void>;
  /**
   * Shows that the outcome is unknown. It is looked up again when the customer presses the button, or when the network
   * is back.
   */
  unknown(run: Run): void;
}

export interface Settlement {
  /**
   * Handles an opened session that doesn't just show the form: shows its payment if there is one, or else how the
   * session ended.
   */
  find(run: Run, session: Session, payment: FramePayment | null): Promise<void>;
  /**
   * Handles the result of sending a card.
   * @param again sends the card again, in a new message
   */
  settle(run: Run, sent: Outcome<FramePayment>, again: () => Promise<Outcome<FramePayment>>): Promise<void>;
  /**
   * After a request without a response: asks until the service responds, and allows no payment before that. Then tells
   * the host page about the run's `decline`, unless the session may be paid.
   */
  recover(run: Run): Promise<void>;
  /**
   * The attempt failed before there was a payment, and the form can be used again. Tells the customer and the host page
   * the same thing.
   */
  notTaken(run: Run, why: NotTaken): void;
  cancelChallenge(): void;
}

export interface SettlementWorld extends Omit<FollowWorld, "screen"> {
  screen: Screen & OutcomeScreen;
  host: Pick<HostPage, "tell">;
  fields: Pick<CardFields, "wipe" | "wipeCvc">;
  /**
   * Handles a billing detail that the service refused: whether the payment can continue without it, and the error to
   * show if not.
   */
  beside: { leaveOut(param: string): boolean; refuse(param: string): void };
  /** Remembers this browser after a successful payment. */
  keepDevice(): void;
  /** The sentence that the customer reads after this decline. */
  declineSentence(session: Session, reason: CustomerReason): string;
  /** The notice that the customer reads above the form. */
  noticeSentence(session: Session, name: NoticeName): string;
}

/** Why an attempt failed before there was a payment. */
type NotTaken = "offline" | "besideRefused" | "notStarted" | "rateLimited" | "notAccepted" | "testCardsOnly";

/** What a `complete` event contains besides the session. */
type Completed =
  | { status: "complete" | "processing" }
  | { status: "requires_confirmation"; paymentMethodId: string; decisionId: string };

/** After a request without a response, ask nine times, with waits of 1, 2, 4 and then 8 seconds. */
const reconnectAttempts = 9;
/** The reason, by error code, for refusals that left the session unchanged. */
const reasons = new Map<string, NotTaken>([
  ["rate_limited", "rateLimited"],
  ["card_message_invalid", "notAccepted"],
  ["not_a_test_card", "testCardsOnly"],
  // A billing detail isn't valid, for example an email format that we don't accept.
  ["parameter_invalid", "notAccepted"],
]);
/** How many failed attempts a session allows. The service counts them, and says how many are left. */
const maxAttempts = 5;
/** The service's time is only known approximately. */
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
      // Browsers repeat a POST when a kept-alive connection breaks (Chromium does), so a used nonce may be the
      // repetition of an accepted message. Only a message that wasn't accepted is sent again.
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
    // There was no response, or the session isn't in the state that this page expected (closed, paid in another tab,
    // unknown), so look it up.
    return why ? notTaken(run, why) : recover(run);
  };

  const recover = async (run: Run): Promise<void> => {
    screen.busy("reconnecting");
    screen.notice("connectionLost");
    for (let attempt = 0; attempt < reconnectAttempts; attempt++) {
      const opened = await api.open();
      if (opened.kind !== "unreachable") {
        tellWithheld(run, opened);
        return control.stand(run, opened, "notStarted");
      }
      await wait.for(Math.min(1_000 * 2 ** attempt, 8_000));
    }
    host.tell("error", { code: "network" });
    control.unknown(run);
  };

  /** Tells the host page about the decline that waited for the look-up, unless another tab's payment may succeed. */
  const tellWithheld = (run: Run, opened: Outcome<FrameSession>) => {
    const { decline } = run;
    run.decline = undefined;
    if (!decline) return;
    const { session, payment } = opened.kind === "answer" ? opened.body : {};
    // This attempt didn't pay, so the page doesn't know when the session was paid.
    if (session?.status === "complete") run.isTold = false;
    else if (!payment || payment.status === "declined") tellDecline(run, decline);
  };

  const tellDecline = (run: Run, decline: FrameEvents["decline"]) => {
    const { code, message, retryable } = decline;
    host.tell("decline", decline);
    run.isTold = false;
    run.ending =
      code === "authentication_canceled" ? { type: "canceled" } : { type: "decline", code, message, retryable };
  };

  const notTaken: Settlement["notTaken"] = (run, why) => {
    const session = known();
    const message = world.noticeSentence(session, why);
    // The service rejects the card itself here only for not being a test card.
    const code = why === "testCardsOnly" ? "check_card" : "try_again";
    run.ending = { type: "decline", code, message, retryable: true };
    // Nothing was sent, so the host page doesn't know about this attempt.
    if (why !== "offline") {
      // This doesn't count as a failed attempt, so the next one gets the same number.
      const attempt = maxAttempts - session.attempts_left + 1;
      host.tell("decline", { code, message, retryable: true, attempt, attemptsLeft: session.attempts_left });
    }
    run.isTold = false;
    screen.form();
    screen.notice(why);
  };

  /** Follows a payment to its end and shows the result. */
  const follow = async (run: Run, first: FramePayment, resumed: boolean): Promise<void> => {
    const payment = await follower.follow(first, resumed, () => {
      completed(run, { status: "processing" });
      run.answer();
    });
    if (payment === "lost") return recover(run);
    if (payment === "endless") return control.unknown(run);
    switch (payment.status) {
      case "succeeded":
        return succeeded(run);
      case "requires_confirmation":
        fields.wipe();
        world.keepDevice(); // the merchant's server decides now, and the service counts only payments that succeeded
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
    const returnUrl = session.return_url && returnPageUrl(session.return_url, session.id);
    host.tell("complete", { ...told, sessionId: session.id, returnUrl });
    run.ending = { type: told.status, sessionId: session.id };
  };

  const succeeded = (run: Run) => {
    fields.wipe();
    world.keepDevice();
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
    const session = known();
    const attemptsLeft = session.attempts_left;
    // Only our sentence: the bank's own message is meant for the customer.
    const message = world.declineSentence(session, reason);
    const decline = { code: reason, message, retryable, attempt: maxAttempts - attemptsLeft, attemptsLeft };
    if (retryable) {
      tellDecline(run, decline);
      return screen.declined(session, reason, cardholder_info);
    }
    // The session was paid from another tab meanwhile, or isn't in the expected state, so look it up. After a final
    // decline, a host page may show the form of another session, so it must not learn of this one before.
    if (session.status === "open" || session.status === "complete") {
      run.decline = decline;
      return recover(run);
    }
    tellDecline(run, decline);
    return over(session, session.status);
  };

  /**
   * If the session's time is over, this reports `expire`, even if it ended before this page was opened, because the
   * shop can renew the session. Five failed attempts and cancellation by the shop are reported as errors, because
   * renewing doesn't help.
   */
  const over = ({ attempts_left, expires_at }: Session, status: "expired" | "canceled") => {
    fields.wipe();
    const isExpired = status === "expired";
    const isFailed = isExpired && attempts_left === 0;
    const isTimeOver = isExpired && !isFailed && now() >= expires_at * 1000 - clockToleranceMs;
    if (isTimeOver) host.tell("expire", {});
    else if (isExpired) host.tell("error", { code: "session_expired" });
    // A session with a payment in progress can't be canceled.
    else host.tell("error", { code: "session_invalid", isPaymentPending: false });
    screen.result(isFailed ? "ended" : status);
  };

  return { find, settle, recover, notTaken, cancelChallenge: follower.cancelChallenge };
}
