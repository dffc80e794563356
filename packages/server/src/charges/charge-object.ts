/** A charge as the API and the events show it. */
import type { Charge, ChargeWithSession } from "@oriel/protocol/api";
import type { DeclineCode } from "@oriel/protocol/errors";
import { maxFailedPayments } from "../sessions/session-state.ts";
import type { Row } from "../storage/tables.ts";
import { unixSeconds } from "../unix-seconds.ts";

export function toCharge(row: Row<"charge">): Charge {
  return {
    id: row.id,
    object: "charge",
    livemode: row.livemode,
    created: unixSeconds(row.created_at),
    status: row.status,
    amount: row.amount,
    currency: row.currency,
    amount_captured: row.amount_captured,
    amount_refunded: row.amount_refunded,
    capture_method: "automatic",
    payment_method_id: row.payment_method_id,
    decision_id: row.decision_id,
    session_id: row.session_id,
    failure:
      row.decline_code === null
        ? null
        : { code: "card_declined", decline_code: row.decline_code, message: declineMessage(row.decline_code) },
    metadata: row.metadata,
  };
}

export function toChargeWithSession(row: Row<"charge">, session: Row<"checkout_session"> | null): ChargeWithSession {
  return {
    ...toCharge(row),
    session:
      session === null
        ? null
        : {
            id: session.id,
            status: session.status,
            payment_status: session.payment_status,
            attempts_left: Math.max(0, maxFailedPayments - session.failed_payments),
            metadata: session.metadata,
          },
  };
}

/** A sentence for the merchant's developer. The customer is shown less (`customerReason`). */
export function declineMessage(code: DeclineCode): string {
  switch (code) {
    case "insufficient_funds":
      return "The card has not enough funds. The customer can use another card.";
    case "expired_card":
      return "The card has expired. The customer can use another card.";
    case "incorrect_number":
    case "incorrect_cvc":
      return "The bank does not know these card details. The customer should check them.";
    case "processing_error":
      return "The bank could not process the charge. Try again later.";
    case "authentication_failed":
      return "The bank could not confirm that it was the cardholder.";
    case "authentication_rejected":
      return "The bank refused the authentication and asks not to try again with this card.";
    case "authentication_canceled":
      return "The customer gave up the bank's challenge.";
    case "authentication_timed_out":
      return "The bank's challenge was not finished in time.";
    case "authentication_unavailable":
      return "The bank could not authenticate the cardholder at the moment.";
    case "lost_card":
    case "stolen_card":
    case "fraudulent":
      return "The bank refused the charge and asks not to try again with this card. Tell the customer no more than that it was declined.";
    case "generic_decline":
    case "do_not_honor":
      return "The bank declined the charge without saying why. The customer can ask the bank or use another card.";
  }
}
