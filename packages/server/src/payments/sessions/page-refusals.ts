/** Why a checkout page's request can't pay, complete or change its session. */
import { ApiError } from "../../platform/errors.ts";
import type { Row } from "../../platform/storage/tables.ts";

type Session = Row<"checkout_session">;

/** What the page showed when Pay was pressed. */
export type Shown = Pick<Session, "payment_round" | "version">;

/** @returns null if the session's time isn't over, and it's still what the page showed */
export function shownRefusal(
  { expires_at, payment_round, version }: Pick<Session, "expires_at" | keyof Shown>,
  shown: Shown,
  now: Date,
): ApiError | null {
  if (expires_at <= now) return sessionClosed();
  if (version !== shown.version) return sessionChanged();
  return payment_round === shown.payment_round ? null : givenUp();
}

export function sessionClosed(): ApiError {
  return new ApiError("session_closed", "This checkout session has ended. Go back to the shop.");
}

export function sessionChanged(): ApiError {
  return new ApiError(
    "session_changed",
    "The amount of this checkout session or its parts have changed since the page was opened. This request had no effect. Open the session again, and show the customer the new amount.",
    { param: "version" },
  );
}

/** The page was told that this request hadn't arrived, and has told the customer that they didn't pay. */
export function givenUp(): ApiError {
  return new ApiError(
    "card_message_stale",
    "This payment request arrived after the page stopped waiting for a response. Open the session again and send a new request.",
    { param: "payment_round" },
  );
}

export function inProgress(): ApiError {
  return new ApiError(
    "session_payment_in_progress",
    "Another payment is in progress in this checkout session. Wait for the outcome of that payment.",
  );
}
