/**
 * One attempt to pay, as it's reported to the host page, to the customer and to whoever started it.
 *
 * ```
 * new --submit--> submitted --complete--> completed        (`processing` may come before)
 *  ^                  |
 *  +-- decline, fail -+
 * ```
 * Once the host page has received `submit`, it always learns how the attempt ended. A press that sent nothing isn't
 * reported to it.
 */
import type { FrameSession } from "@oriel/protocol/frame";
import type { FrameEvents, Submission } from "@oriel/protocol/windows";
import type { HostPage } from "../host/host-page.ts";
import { returnPageUrl } from "../host/return-url.ts";
import type { Screen } from "../page/screen.ts";
import type { NoticeName } from "../texts/texts.ts";

type Session = FrameSession["session"];

export interface Attempt {
  /** The version of the session that the customer saw when this attempt started. Only its amount may be paid. */
  readonly version: number | undefined;
  /** The host page knows that a payment was submitted, and hasn't learned of a failure. */
  readonly isSubmitted: boolean;
  /** Reports that a payment is submitted, unless that was reported already. */
  submit(): void;
  /** Reports the outcome, or that it will take a while. */
  complete(session: Session, outcome: Completed): void;
  decline(detail: Decline): void;
  /** Doesn't report this decline before it's certain that the session wasn't paid in another tab. */
  withhold(detail: Decline): void;
  /** Reports the withheld decline, if there is one, unless the session is paid or may be. */
  release(opened: FrameSession): void;
  /** The attempt failed before there was a payment: tells the host page and the customer, who can use the form again. */
  fail(session: Session, reason: FailureReason): void;
  /** Returns the result to whoever started the attempt. Only the first call counts. */
  resolve(): void;
}

type Decline = FrameEvents["decline"];

/** What a `complete` event contains besides the session. */
type Completed =
  | { status: "complete" | "processing" }
  | { status: "requires_confirmation"; paymentMethodId: string; decisionId: string };

/** Why an attempt failed before there was a payment. */
export type FailureReason =
  | "offline"
  | "billingRefused"
  | "notStarted"
  | "orderChanged"
  | "rateLimited"
  | "notAccepted"
  | "testCardsOnly";

export interface AttemptWorld {
  host: Pick<HostPage, "emit">;
  screen: Pick<Screen, "form" | "notice">;
  /** The notice that the customer reads above the form. */
  noticeSentence(session: Session, name: NoticeName): string;
}

/** How many failed attempts a session allows. The service counts them, and says how many are left. */
export const maxAttempts = 5;

/** @param started receives the attempt's result; without `resolve`, nobody does */
export function createAttempt(
  { host, screen, noticeSentence }: AttemptWorld,
  version?: number,
  started: (result: Submission) => void = () => {},
): Attempt {
  // If nothing else is reported, nothing was paid.
  let result: Submission = { type: "failed" };
  let withheld: Decline | null = null;
  const decline = (detail: Decline, isReported = true) => {
    const { code, message, retryable } = detail;
    if (isReported) host.emit("decline", detail);
    attempt.isSubmitted = false;
    result = code === "authentication_canceled" ? { type: "canceled" } : { type: "decline", code, message, retryable };
  };
  const attempt: Attempt & { isSubmitted: boolean } = {
    isSubmitted: false,
    version,
    submit() {
      if (!attempt.isSubmitted) host.emit("submit", {});
      attempt.isSubmitted = true;
    },
    complete({ id, return_url }, outcome) {
      const returnUrl = return_url && returnPageUrl(return_url, id);
      host.emit("complete", { ...outcome, sessionId: id, returnUrl });
      result = { type: outcome.status, sessionId: id };
    },
    decline,
    withhold(detail) {
      withheld = detail;
    },
    release(opened) {
      const detail = withheld;
      withheld = null;
      // If the session was paid, this attempt didn't pay, so the page doesn't know when that was.
      if (detail && opened.session.status === "complete") attempt.isSubmitted = false;
      else if (detail && (!opened.payment || opened.payment.status === "declined")) decline(detail);
    },
    fail(session, reason) {
      const { attempts_left: attemptsLeft } = session;
      decline(
        {
          // The service rejects the card itself here only for not being a test card.
          code: reason === "testCardsOnly" ? "check_card" : "try_again",
          message: noticeSentence(session, reason),
          retryable: true,
          // This doesn't count as a failed attempt, so the next one gets the same number.
          attempt: maxAttempts - attemptsLeft + 1,
          attemptsLeft,
        },
        attempt.isSubmitted || reason === "notStarted", // otherwise nothing was sent, and the host page doesn't know
      );
      if (reason === "orderChanged") result = { type: "session_changed" };
      screen.form();
      screen.notice(reason);
    },
    resolve: () => started(result),
  };
  return attempt;
}
