/**
 * The dashboard's requests about payments, payment methods and events, all under `/data/:account/:mode/`. Reading needs
 * `data.read`, and changes need `payments.manage`.
 *
 * Refund, capture and cancel share their code with the API and have the same responses: the refund or the charge, 402
 * `card_declined`, or 503 `payment_outcome_unknown`. After the latter, the same request with the same key returns the
 * outcome. They take an `Idempotency-Key` header, which the page creates once per action of the user.
 */
import Type, { type Static } from "typebox";
import {
  CaptureCharge,
  CreateRefund,
  type Charge,
  type CheckoutSession,
  type Decision,
  type Event,
  type PaymentMethod,
  type Refund,
} from "../api/index.ts";
import { allEventTypes, RedeliverEvent, type Delivery, type EventType } from "../api/webhooks.ts";
import { declineCodes, type DeclineCode } from "../declines.ts";
import { closed, words } from "../shapes.ts";
import type { PaymentMoney } from "./acquirers.ts";
import { pageParams } from "./page.ts";

// --- lists

/** A page of a list, newest first. Request the next page with the last ID as `starting_after`. */
export interface Page<T> {
  data: T[];
  has_more: boolean;
}

// --- overview

/** `GET overview` -> {@link Overview} */
export const OverviewQuery = closed({ days: Type.Optional(words(["7", "30", "90"])) });
export type OverviewQuery = Static<typeof OverviewQuery>;

/**
 * Daily totals in UTC, including today. Payments, and later captures of them, count on the day of the payment. Refunds
 * count on the day of the refund. A failed payment counts as a separate payment. Amounts above 2^53 - 1 are capped.
 */
export interface Overview {
  days: number;
  /** The first and the last day, such as `2026-11-22`. */
  from: string;
  to: string;
  /** The currencies with payments or refunds, most payments first. */
  currencies: CurrencyOverview[];
  /** The ten most frequent decline codes in all currencies. */
  declines: { decline_code: DeclineCode; count: number }[];
  /**
   * Payments in all currencies that the risk rules blocked, and payments whose 3-D Secure failed. Neither kind was sent
   * to the acquirer.
   */
  risk_refused: number;
  three_d_secure_failed: number;
}

export interface PaymentCounts {
  /** In the currency's smallest unit. */
  captured: number;
  refunded: number;
  /** All payments, including those in progress. */
  payments: number;
  /** Payments that were authorized, including those that were captured or canceled later. */
  approved: number;
  failed: number;
}

export interface CurrencyOverview extends PaymentCounts {
  currency: string;
  /** `approved / (approved + failed)`, or null if both are 0. */
  success_rate: number | null;
  /** Every day, oldest first. */
  series: DayOverview[];
}

export interface DayOverview extends PaymentCounts {
  /** A day in UTC, such as `2026-11-22`. */
  date: string;
}

// --- payments

const Amount = Type.String({ pattern: "^[0-9]{1,12}$" });
const Seconds = Type.String({ pattern: "^[0-9]{1,11}$" });

/** The filters of a search. A payment must match all of them. */
const filters = {
  status: Type.Optional(words(["processing", "authorized", "succeeded", "failed", "canceled"])),
  currency: Type.Optional(Type.String({ pattern: "^[a-z]{3}$" })),
  /** The range of the charge's amount in the currency's smallest unit, inclusive. */
  min_amount: Type.Optional(Amount),
  max_amount: Type.Optional(Amount),
  /** The range of creation times, in Unix seconds: `from` is inclusive, `to` is exclusive. */
  from: Type.Optional(Seconds),
  to: Type.Optional(Seconds),
  /** Test payment methods such as `pm_card_visa` have no card details. Use `search` with their ID instead. */
  last4: Type.Optional(Type.String({ pattern: "^[0-9]{4}$" })),
  brand: Type.Optional(Type.String({ pattern: "^[a-z_]{1,40}$" })),
  decline_code: Type.Optional(words(declineCodes)),
  /**
   * One of the following, case-insensitive:
   *
   * - the ID of a charge, checkout session, decision, payment method, refund or event
   * - words that all occur in the customer's reference, email address or name, the description, the line items, or the
   *   metadata that the session or charge was created with. Four digits can also be the card's last four. At most eight
   *   words are considered
   * - a complete email address, which must match exactly
   * - an amount such as `49`, `49.00`, `€49.00` or `49 EUR`, or as any page of the dashboard shows it
   */
  search: Type.Optional(Type.String({ minLength: 1, maxLength: 500 })),
};

/** `GET payments` -> {@link PaymentPage} */
export const PaymentsQuery = closed({ ...pageParams, ...filters });
export type PaymentsQuery = Static<typeof PaymentsQuery>;

export const maxCsvRows = 100_000;

/**
 * The last line of an export, which the dashboard removes. A file without it broke off. `limited` means that older
 * payments may be missing, because there are more than one file can contain or than one export searches.
 */
export const csvEnds = { complete: "# complete\r\n", limited: "# limited\r\n" } as const;

/**
 * Sent while an export finds no payments, so that neither a proxy nor the dashboard takes the connection for dead. The
 * dashboard removes it. No cell contains this character, because PostgreSQL can't store it.
 */
export const csvHeartbeat = "\0";

/** `GET payments.csv`: a download with up to {@link maxCsvRows} matches among the newest 1,000,000 payments. */
export const PaymentsCsvQuery = closed(filters);
export type PaymentsCsvQuery = Static<typeof PaymentsCsvQuery>;

/** A charge with details that help people recognize it. */
export interface PaymentRow extends Charge {
  /** Null for test payment methods. */
  brand: string | null;
  last4: string | null;
  /**
   * The customer of the session. For a charge without a session, the customer of the session that saved the card. None
   * of these values have been verified.
   */
  customer_email: string | null;
  customer_name: string | null;
  /** The merchant's own ID for the customer. */
  customer_reference: string | null;
  order: OrderSummary;
  /** The metadata of the session, which isn't copied to its charges. Empty for a charge without a session. */
  session_metadata: Record<string, string>;
  three_d_secure_result: NonNullable<Decision["three_d_secure"]>["result"] | null;
}

/** What the customer paid for, as far as the merchant's server said. */
export interface OrderSummary {
  /** The metadata value whose name says that it's an order number, such as `order_id`. */
  number: string | null;
  description: string | null;
  first_item: string | null;
  item_count: number;
}

/** Each request searches a limited number of payments, so a page can be short or empty even if there are more. */
export interface PaymentPage extends Page<PaymentRow> {
  /** The `starting_after` of the next page. Null if there is none. */
  cursor: string | null;
  /**
   * Set if the search stopped before the page was full. Every payment newer than this time (Unix seconds) was searched.
   */
  searched_to: number | null;
}

/** `GET payments/:id` -> {@link PaymentDetail} */
export interface PaymentDetail extends PaymentRow, PaymentMoney {
  /** The newest payment in the same session, if it came after this one. */
  later_payment: Pick<Charge, "id" | "status"> | null;
  /** Oldest first. */
  timeline: TimelineEntry[];
  /**
   * Whether the oldest entries are left out because there are more than 100 refunds, 500 attempts or 500 events.
   */
  is_cut: boolean;
}

/**
 * An entry in the timeline of a payment. `at` is Unix time in seconds. Entries within the same second are in order too.
 */
export type TimelineEntry = { at: number } &
  /** With the amount and the parts that this payment is for. They may have changed before or afterwards. */
  (
    | { type: "session_created"; session: CheckoutSession }
    /** An earlier failed payment in the same session. */
    | { type: "earlier_try"; payment: PaymentRow }
    /** The result of the risk rules and, if it ran, of 3-D Secure. */
    | { type: "decision"; decision: Decision }
    | { type: "authentication"; authentication: AuthenticationInfo }
    | { type: "authorization"; attempt: AttemptInfo }
    | { type: "capture"; attempt: AttemptInfo }
    | { type: "cancellation"; attempt: AttemptInfo }
    | { type: "reversal"; attempt: AttemptInfo }
    | { type: "refund"; refund: Refund; attempt: AttemptInfo | null }
    | { type: "event"; event: EventSummary; deliveries: EventDelivery[] }
  );

/** One run of 3-D Secure. */
export interface AuthenticationInfo {
  /** The threeDSServerTransID. */
  id: string;
  /** Whether this was a second run, which the issuer required. */
  is_step_up: boolean;
  status: "method" | "authenticating" | "challenge" | "awaiting_result" | "decoupled" | "complete";
  /** Null if it isn't known (yet). */
  version: string | null;
  /** How the issuer challenged the customer. Null if there was no challenge, or none yet. */
  flow: "challenge" | "decoupled" | null;
  /** Null while 3-D Secure is in progress. */
  result: NonNullable<Decision["three_d_secure"]>["result"] | null;
  /** The issuer's transStatus, such as `Y`. */
  trans_status: string | null;
  trans_status_reason: string | null;
  eci: string | null;
  liability_shift: boolean;
  /** The issuer's message to the cardholder. */
  cardholder_info: string | null;
}

/** One attempt: a call to the acquirer. */
export interface AttemptInfo {
  /** The ID that the acquirer knows the attempt by. */
  id: string;
  kind: "authorize" | "verify" | "capture" | "cancel" | "refund" | "reverse";
  /**
   * How a `reverse` attempt undoes the authorization: by our reference because its outcome is unknown, or as a
   * cancellation or refund because it was approved too late. Null for other kinds.
   */
  reversal: "reference" | "cancel" | "refund" | null;
  status: "processing" | "approved" | "declined";
  /**
   * When the acquirer accepted it, in Unix seconds. While `status` is `processing`, a notification will have the outcome.
   * Null if the acquirer's response had the outcome, or if there was no response.
   */
  accepted: number | null;
  amount: number;
  /** Whether it followed a second run of 3-D Secure. */
  is_step_up: boolean;
  calls: number;
  decline_code: DeclineCode | null;
  /** The acquirer's own ID. This and the following fields are null if the acquirer doesn't provide them. */
  acquirer_id: string | null;
  authorization_code: string | null;
  avs_result: string | null;
  cvc_result: string | null;
  /** The card network's ID. */
  network_transaction_id: string | null;
  /** Why it was declined, as returned by the acquirer or the issuer. */
  refusal_code: string | null;
  refusal_reason: string | null;
  /** Unix time in seconds. Null while the outcome is unknown. */
  finished: number | null;
  /** While the outcome is unknown: the latest time of the next check with the acquirer. Null if it was accepted. */
  next_call: number | null;
}

/** An event without its payload. */
export interface EventSummary {
  id: string;
  type: EventType;
  object_id: string;
  object_sequence: number;
  created: number;
}

/** A delivery with the endpoint's current URL. */
export interface EventDelivery extends Delivery {
  url: string;
}

/** `POST payments/:id/refund` -> {@link Refund} */
export const RefundPayment = closed({ amount: CreateRefund.properties.amount, reason: CreateRefund.properties.reason });
export type RefundPayment = Static<typeof RefundPayment>;
/** `POST payments/:id/capture` -> {@link Charge} */
export const CapturePayment = CaptureCharge;
export type CapturePayment = CaptureCharge;
/** `POST payments/:id/cancel` -> {@link Charge}; `POST payment-methods/:id/detach` -> {@link PaymentMethod} */
export const Nothing = closed({});
export type Nothing = Static<typeof Nothing>;

// --- payment methods

/** `GET payment-methods`: saved payment methods -> {@link Page} of {@link SavedPaymentMethod} */
export const PaymentMethodsQuery = closed(pageParams);
export type PaymentMethodsQuery = Static<typeof PaymentMethodsQuery>;

export interface SavedPaymentMethod extends PaymentMethod {
  /** The email address of the session that saved the card. */
  customer_email: string | null;
}

// --- events

/** `GET events` -> {@link Page} of {@link EventSummary} */
export const EventsQuery = closed({
  ...pageParams,
  type: Type.Optional(words(allEventTypes)),
  object_id: Type.Optional(Type.String({ minLength: 1, maxLength: 100 })),
});
export type EventsQuery = Static<typeof EventsQuery>;

/** `GET events/:id` -> {@link EventDetail} */
export interface EventDetail {
  /** The event as sent in webhooks. */
  event: Event;
  deliveries: EventDelivery[];
}

/**
 * `POST events/:id/redeliver` -> `Redelivery` of the API. Without an endpoint, sends the event to all endpoints that
 * subscribe to its type. Accepts an optional `Idempotency-Key`.
 */
export const Redeliver = closed({ endpoint_id: RedeliverEvent.properties.webhook_endpoint_id });
export type Redeliver = Static<typeof Redeliver>;
