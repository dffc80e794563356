/** Converts a checkout session to the object in the API and in events, without its `embed_url`. */
import { sql, type RawBuilder } from "kysely";
import type { CheckoutSession } from "@oriel/protocol/api";
import { ApiError } from "../../platform/errors.ts";
import type { Row } from "../../platform/storage/tables.ts";
import { unixSeconds } from "../../platform/unix-seconds.ts";
import { promotionCodeFields } from "./promotion-codes.ts";
import { attemptsLeft } from "./session-state.ts";

/** A session past its expiry time is shown as expired, even if the sweeper hasn't processed it yet. */
export function toCheckoutSession(
  row: Omit<Row<"checkout_session">, "payment_round" | "version_claimed_by"> & {
    shown_payment_method_id?: string | null;
  },
  now: Date,
): CheckoutSession {
  const isExpired = row.status === "open" && row.payment_decision_id === null && row.expires_at <= now;
  const shownPaymentMethodId = row.shown_payment_method_id ?? null;
  const isZeroTotal = row.mode === "payment" && row.amount === 0;
  const needsConfirmation = row.confirmation === "server" && !isZeroTotal && shownPaymentMethodId !== null;
  return {
    id: row.id,
    object: "checkout_session",
    livemode: row.livemode,
    created: unixSeconds(row.created_at),
    mode: row.mode,
    status: isExpired ? "expired" : row.status,
    payment_status: isZeroTotal ? "no_payment_required" : row.payment_status,
    amount: row.amount,
    currency: row.currency,
    confirmation: row.confirmation,
    capture_method: row.capture_method,
    save_payment_method: row.save_payment_method,
    submit_button: row.submit_button,
    version: row.version,
    line_items: row.line_items,
    shipping_options: row.shipping_options,
    shipping_option: row.shipping_option,
    discounts: row.discounts,
    tax_amount: row.tax_amount,
    ...promotionCodeFields(row),
    allowed_origins: row.allowed_origins,
    return_url: row.return_url,
    cancel_url: row.cancel_url,
    description: row.description,
    customer: row.customer,
    locale: row.locale,
    appearance: row.appearance,
    attempts_left: attemptsLeft(row),
    payment_method_id: shownPaymentMethodId,
    decision_id: needsConfirmation ? row.payment_decision_id : null,
    expires_at: unixSeconds(row.expires_at),
    metadata: row.metadata,
  };
}

/** Why a session can't be ended or changed, or its URL replaced. */
export function endRefusal({ id, status }: CheckoutSession): ApiError {
  return status === "open"
    ? new ApiError(
        "session_payment_in_progress",
        `Checkout session ${id} has a payment in progress. Wait for the outcome of the payment.`,
      )
    : new ApiError("session_closed", `Checkout session ${id} is already ${status}.`);
}

/**
 * The customer email that a session was created with, as an SQL expression.
 *
 * @param table the alias of the session's table
 */
export function customerEmail(table: string): RawBuilder<string | null> {
  return sql<string | null>`${sql.ref(`${table}.customer`)} ->> 'email'`;
}
