/**
 * Shows how a payment or a session ended, and reports it to the host page. Final outcomes wipe the card; after a decline,
 * only the security code is wiped.
 */
import type { CustomerReason } from "@oriel/protocol/declines";
import type { FramePayment, FrameSession } from "@oriel/protocol/frame";
import type { CardFields } from "../form/card-fields.ts";
import type { HostPage } from "../host/host-page.ts";
import type { OutcomeScreen } from "../page/outcome-screen.ts";
import type { Screen } from "../page/screen.ts";
import { maxAttempts } from "./attempt.ts";
import type { Attempt } from "./attempt.ts";
import type { EndedPayment } from "./follow-payment.ts";

type Session = FrameSession["session"];

export interface Outcomes {
  /** @returns the next state if it isn't certain how the session ended; null once the outcome is shown */
  endPayment(session: Session, payment: EndedPayment, attempt: Attempt): { name: "checking" } | null;
  endSession(session: Session, status: Exclude<Session["status"], "open">, attempt: Attempt): void;
}

export interface OutcomesWorld {
  screen: Pick<Screen & OutcomeScreen, "result" | "declined" | "finished">;
  host: Pick<HostPage, "emit">;
  fields: Pick<CardFields, "wipe" | "wipeCvc">;
  now(): number;
  /** Remembers this browser after a successful payment. */
  rememberDevice(): void;
  /** The sentence that the customer reads after this decline. */
  declineSentence(session: Session, reason: CustomerReason): string;
}

/** The service's time is only known approximately. */
const clockToleranceMs = 5_000;

export function createOutcomes(world: OutcomesWorld): Outcomes {
  const { screen, host, fields } = world;

  const endPayment: Outcomes["endPayment"] = (session, payment, attempt) => {
    switch (payment.status) {
      case "succeeded":
        endSession(session, "complete", attempt);
        return null;
      case "requires_confirmation":
        fields.wipe();
        world.rememberDevice(); // the merchant's server decides now, and the service counts only payments that succeeded
        attempt.complete(session, {
          status: payment.status,
          paymentMethodId: payment.payment_method_id,
          decisionId: payment.decision_id,
        });
        screen.finished(session, payment.status, attempt.isSubmitted);
        return null;
      case "declined":
        return endDeclined(session, payment, attempt);
    }
  };

  const endDeclined = (
    session: Session,
    { reason, retryable, cardholder_info }: Extract<FramePayment, { status: "declined" }>,
    attempt: Attempt,
  ): { name: "checking" } | null => {
    fields.wipeCvc();
    const { status, attempts_left: attemptsLeft } = session;
    // Only our sentence: the bank's own message is meant for the customer.
    const message = world.declineSentence(session, reason);
    const decline = { code: reason, message, retryable, attempt: maxAttempts - attemptsLeft, attemptsLeft };
    if (retryable) {
      attempt.decline(decline);
      screen.declined(session, reason, cardholder_info);
      return null;
    }
    // The session was paid from another tab meanwhile, or isn't in the expected state, so it must be opened again. After
    // a final decline, a host page may show the form of another session, so it must not learn of this one before.
    if (status === "open" || status === "complete") {
      attempt.withhold(decline);
      return { name: "checking" };
    }
    attempt.decline(decline);
    endSession(session, status, attempt);
    return null;
  };

  /**
   * If the session's time is over, this reports `expire`, even if it ended before this page was opened, because the
   * shop can renew the session. Five failed attempts and cancellation by the shop are reported as errors, because
   * renewing doesn't help.
   */
  const endSession: Outcomes["endSession"] = (session, status, attempt) => {
    fields.wipe();
    if (status === "complete") {
      world.rememberDevice();
      attempt.complete(session, { status });
      return screen.finished(session, "succeeded", attempt.isSubmitted);
    }
    const { attempts_left, expires_at } = session;
    const isExpired = status === "expired";
    const isFailed = isExpired && attempts_left === 0;
    const isTimeUp = isExpired && !isFailed && world.now() >= expires_at * 1000 - clockToleranceMs;
    if (isTimeUp) host.emit("expire", {});
    else if (isExpired) host.emit("error", { code: "session_expired" });
    // A session with a payment in progress can't be canceled.
    else host.emit("error", { code: "session_invalid", isPaymentPending: false });
    screen.result(isFailed ? "ended" : status);
  };

  return { endPayment, endSession };
}
