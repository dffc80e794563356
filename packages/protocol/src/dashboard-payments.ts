/**
 * The dashboard's part about money and events: what a member of a team sees of payments, payment methods and events,
 * and does about them. All of it is under `/data/:account/:mode/`. Reading needs `data.read`, what changes something
 * `payments.manage`.
 *
 * Refund, capture and cancel are the API's own business, and answer as the API does: with the refund or the charge, 402
 * `card_declined`, or 503 `payment_outcome_unknown`, after which the same request under the same key tells the outcome.
 * They take an `Idempotency-Key` header, which the page makes once for each time that somebody means it.
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
} from "./api.ts";
import { declineCodes, type DeclineCode } from "./declines.ts";
import { closed, words } from "./shapes.ts";
import { allEventTypes, RedeliverEvent, type Delivery, type EventType } from "./webhooks.ts";

// --- lists
// -----------------------------------------------------------------------------------------------------------------------

const page = {
  /** 1 to 100, default 25. */
  limit: Type.Optional(Type.String({ pattern: "^([1-9]|[1-9][0-9]|100)$" })),
  /** The last id of the page before, or its `cursor` where it has one. */
  starting_after: Type.Optional(Type.String({ minLength: 1, maxLength: 100 })),
};

/** Newest first. Ask on with `starting_after` the last id. */
export interface Page<T> {
  data: T[];
  has_more: boolean;
}

// --- overview
// --------------------------------------------------------------------------------------------------------------------

/** `GET overview` -> {@link Overview} */
export const OverviewQuery = closed({ days: Type.Optional(words(["7", "30", "90"])) });
export type OverviewQuery = Static<typeof OverviewQuery>;

/**
 * So many days of UTC, today among them. A payment counts on the day it was made, also what is captured of it later; a
 * refund on the day it was made. What a customer tried and failed counts as a payment of its own. Amounts beyond 2^53 -
 * 1 show as that.
 */
export interface Overview {
  days: number;
  /** First and last day, `2026-11-22`. */
  from: string;
  to: string;
  /** Those with payments or refunds, most payments first. */
  currencies: CurrencyOverview[];
  /** The ten most frequent, of all currencies. */
  declines: { decline_code: DeclineCode; count: number }[];
  /**
   * Of all currencies. Those that the risk rules refused, and those whose 3-D Secure ended badly; neither got as far as
   * the bank.
   */
  risk_refused: number;
  three_d_secure_failed: number;
}

export interface PaymentCounts {
  /** In the currency's smallest unit. */
  captured: number;
  refunded: number;
  /** All tries, those under way too. */
  payments: number;
  /** The bank said yes: taken, reserved, or reserved and let go. */
  approved: number;
  failed: number;
}

export interface CurrencyOverview extends PaymentCounts {
  currency: string;
  /** `approved` of those that are approved or failed, 0 to 1. Null where none is. */
  success_rate: number | null;
  /** Every day, oldest first. */
  series: DayOverview[];
}

export interface DayOverview extends PaymentCounts {
  /** A day of UTC, `2026-11-22`. */
  date: string;
}

// --- payments
// --------------------------------------------------------------------------------------------------------------------

const Amount = Type.String({ pattern: "^[0-9]{1,12}$" });
const Seconds = Type.String({ pattern: "^[0-9]{1,11}$" });

/** What narrows a search. Everything that is given must fit. */
const filters = {
  status: Type.Optional(words(["processing", "authorized", "succeeded", "failed", "canceled"])),
  currency: Type.Optional(Type.String({ pattern: "^[a-z]{3}$" })),
  /** Of the charge's amount, in the smallest unit; both ends belong to it. */
  min_amount: Type.Optional(Amount),
  max_amount: Type.Optional(Amount),
  /** Unix time in seconds: made then or later, and before. */
  from: Type.Optional(Seconds),
  to: Type.Optional(Seconds),
  /** The test payment methods (`pm_card_visa`) have neither: `search` for their id. */
  last4: Type.Optional(Type.String({ pattern: "^[0-9]{4}$" })),
  brand: Type.Optional(Type.String({ pattern: "^[a-z_]{1,40}$" })),
  decline_code: Type.Optional(words(declineCodes)),
  /**
   * One text, whole, whatever its capitals: the id of a charge, checkout session, decision, payment method, refund or
   * event; or the customer's e-mail address, the customer's reference, or a value of the metadata, as the session or
   * the charge was made with it.
   */
  search: Type.Optional(Type.String({ minLength: 1, maxLength: 500 })),
};

/** `GET payments` -> {@link PaymentPage} */
export const PaymentsQuery = closed({ ...page, ...filters });
export type PaymentsQuery = Static<typeof PaymentsQuery>;

export const maxCsvRows = 100_000;

/** `GET payments.csv`: the newest {@link maxCsvRows} that fit, of the newest 1,000,000 there are. A file to save. */
export const PaymentsCsvQuery = closed(filters);
export type PaymentsCsvQuery = Static<typeof PaymentsCsvQuery>;

/** A charge, with what tells it apart for a person. */
export interface PaymentRow extends Charge {
  /** Null for the test payment methods. */
  brand: string | null;
  last4: string | null;
  /** As the session was made with it. */
  customer_email: string | null;
  three_d_secure_result: NonNullable<Decision["three_d_secure"]>["result"] | null;
}

/** A search looks at so many payments at a time: a page may come back short, even empty, with more to look at. */
export interface PaymentPage extends Page<PaymentRow> {
  /** The next page's `starting_after`. Null: there is none. */
  cursor: string | null;
  /**
   * Where the page is not full although there is more to look at: all that is newer than this was looked at. Unix time
   * in seconds.
   */
  searched_to: number | null;
}

/** `GET payments/:id` -> {@link PaymentDetail} */
export interface PaymentDetail extends PaymentRow {
  /** Oldest first. */
  timeline: TimelineEntry[];
  /**
   * There are more refunds, messages to the bank or events than a timeline takes (100, 500 and 500); the oldest are
   * left out.
   */
  is_cut: boolean;
}

/**
 * Something that happened about a payment. `at` is unix time in seconds; what happened in one second stands in its
 * order all the same.
 */
export type TimelineEntry = { at: number } & (
  | { type: "session_created"; session: CheckoutSession }
  /** A try in the same session that failed before this one. */
  | { type: "earlier_try"; payment: PaymentRow }
  /** The verdict of the risk rules, and of 3-D Secure where it ran. */
  | { type: "decision"; decision: Decision }
  | { type: "authentication"; authentication: AuthenticationInfo }
  | { type: "authorization"; attempt: AttemptInfo }
  | { type: "capture"; attempt: AttemptInfo }
  | { type: "cancellation"; attempt: AttemptInfo }
  | { type: "refund"; refund: Refund; attempt: AttemptInfo | null }
  | { type: "event"; event: EventSummary; deliveries: EventDelivery[] }
);

/** One run of 3-D Secure. */
export interface AuthenticationInfo {
  /** threeDSServerTransID: what the bank knows it by. */
  id: string;
  /** The second one, because the bank wanted the customer after all. */
  is_step_up: boolean;
  status: "method" | "authenticating" | "challenge" | "awaiting_result" | "decoupled" | "complete";
  version: string;
  /** How the bank asked the customer. Null: it decided by itself, or has not said yet. */
  asked: "challenge" | "decoupled" | null;
  /** Null while it runs. */
  result: NonNullable<Decision["three_d_secure"]>["result"] | null;
  /** What the bank said, in its own letters. */
  trans_status: string | null;
  trans_status_reason: string | null;
  eci: string | null;
  liability_shift: boolean;
  /** What the bank asks to tell the cardholder. */
  cardholder_info: string | null;
}

/** One message to the bank. */
export interface AttemptInfo {
  /** What the bank knows it by. */
  id: string;
  kind: "authorize" | "verify" | "capture" | "cancel" | "refund";
  status: "processing" | "approved" | "declined";
  amount: number;
  /** After a second authentication. */
  is_step_up: boolean;
  times_asked: number;
  decline_code: DeclineCode | null;
  /** Unix time in seconds. Null while the bank has not said. */
  finished: number | null;
  /** While it has not: when it is asked again at the latest. */
  next_ask: number | null;
}

/** An event without what it carries. */
export interface EventSummary {
  id: string;
  type: EventType;
  object_id: string;
  object_sequence: number;
  created: number;
}

/** With the address, as it is now. */
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
// -------------------------------------------------------------------------------------------------------------

/** `GET payment-methods`: those that are saved -> {@link Page} of {@link SavedPaymentMethod} */
export const PaymentMethodsQuery = closed(page);
export type PaymentMethodsQuery = Static<typeof PaymentMethodsQuery>;

export interface SavedPaymentMethod extends PaymentMethod {
  /** As the session was made with it that saved the card. */
  customer_email: string | null;
}

// --- events
// ----------------------------------------------------------------------------------------------------------------------

/** `GET events` -> {@link Page} of {@link EventSummary} */
export const EventsQuery = closed({
  ...page,
  type: Type.Optional(words(allEventTypes)),
  object_id: Type.Optional(Type.String({ minLength: 1, maxLength: 100 })),
});
export type EventsQuery = Static<typeof EventsQuery>;

/** `GET events/:id` -> {@link EventDetail} */
export interface EventDetail {
  /** The body of the webhook. */
  event: Event;
  deliveries: EventDelivery[];
}

/**
 * `POST events/:id/redeliver` -> `Redelivery` of the API. Without an endpoint: to every one that wants it. Takes an
 * `Idempotency-Key` where there is one.
 */
export const Redeliver = closed({ endpoint_id: RedeliverEvent.properties.webhook_endpoint_id });
export type Redeliver = Static<typeof Redeliver>;
