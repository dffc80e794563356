/**
 * The public API's request and response schemas, and the types inferred from them. Unknown fields are rejected, nothing
 * is coerced, and amounts are integers in the currency's smallest unit.
 *
 * The server validates with these schemas and builds the OpenAPI document from them. Other packages import only the
 * types, so no browser bundle contains the schemas.
 */

import Type, { type Static, type TOptional, type TString } from "typebox";
import { cardNetworks } from "./card-networks.ts";
import { declineCodes } from "./declines.ts";
import { maxAmountMinor } from "./currency.ts";
import { appearanceVariables, type AppearanceVariable } from "./appearance-settings.ts";
import { closed, id, nullable, UnixSeconds, words } from "./shapes.ts";
import {
  allEventTypes,
  type ChargeEventType,
  type DisputeEventType,
  type EndpointEventType,
  type RefundEventType,
  type SessionEventType,
  type WebhookEndpoint,
} from "./webhooks.ts";

export * from "./webhooks.ts";

// --- parts
// -------------------------------------------------------------------------------------------------------------------------

const Amount = Type.Integer({
  minimum: 1,
  maximum: maxAmountMinor,
  description: "Amount in the currency's smallest unit. For example, 1000 is €10.00 or ¥1,000.",
});
const Currency = Type.String({
  pattern: "^[a-z]{3}$",
  description: "Three-letter ISO 4217 currency code, in lowercase.",
  examples: ["eur"],
});

/**
 * At most 50 keys of up to 40 characters, with values of up to 500. `propertyNames` limits the keys, because the
 * serializer ignores it. It would omit keys that it doesn't match with a pattern, whose lengths it measures differently.
 */
const Metadata = Type.Unsafe<Record<string, string>>({
  type: "object",
  propertyNames: { minLength: 1, maxLength: 40, pattern: "^[^\\[\\]]*$" },
  additionalProperties: { type: "string", maxLength: 500 },
  maxProperties: 50,
  description: "Your own key-value pairs, returned unchanged. Don't include card data.",
});

// --- checkout sessions
// -------------------------------------------------------------------------------------------------------------

const Customer = closed({
  email: Type.Optional(Type.String({ maxLength: 254 })),
  name: Type.Optional(Type.String({ maxLength: 200 })),
  reference: Type.Optional(Type.String({ maxLength: 200, description: "Your own ID for this customer." })),
});

export const LineItem = closed({
  name: Type.String({ minLength: 1, maxLength: 200 }),
  amount: Type.Integer({
    minimum: 0,
    maximum: maxAmountMinor,
    description: "Price per unit, in the currency's smallest unit.",
  }),
  quantity: Type.Integer({ minimum: 1, maximum: 1_000_000 }),
});
export type LineItem = Static<typeof LineItem>;

/** One optional string per token. `appearance-settings.ts` validates the values. */
const variables = Object.fromEntries(
  appearanceVariables.map((name) => [name, Type.Optional(Type.String({ maxLength: 200 }))]),
) as Record<AppearanceVariable, TOptional<TString>>; // built from all names above

export const Appearance = closed(
  {
    theme: Type.Optional(words(["auto", "light", "dark"])),
    style: Type.Optional(words(["flat", "none"])),
    labels: Type.Optional(words(["above", "floating", "hidden"])),
    disableAnimations: Type.Optional(Type.Boolean()),
    variables: Type.Optional(closed(variables)),
  },
  {
    description:
      "The form's appearance, in the same format as the loader's `appearance` option. If your page sets that option, the option takes precedence.",
  },
);

const Locale = Type.String({
  pattern: "^(auto|[A-Za-z]{2,3}([-_][0-9A-Za-z]{1,8}){0,9})$",
  description:
    "The checkout's language as a BCP 47 tag such as `de-DE`, or `auto` to use the browser's language. Underscores are accepted in place of hyphens. If your page sets the loader's `locale` option, the option takes precedence.",
});

const CaptureMethod = words(["automatic", "manual"], {
  description: "With `manual`, the amount is only authorized, and you capture it later. Defaults to `automatic`.",
});

export const CreateCheckoutSession = closed({
  mode: Type.Optional(
    words(["payment", "setup"], {
      description: "`payment` charges a card. `setup` saves a card without charging it. Defaults to `payment`.",
    }),
  ),
  amount: Type.Optional(Amount),
  currency: Type.Optional(Currency),
  capture_method: Type.Optional(CaptureMethod),
  save_payment_method: Type.Optional(
    Type.Boolean({
      description:
        "Whether to save the card for later charges if the payment succeeds. Get the customer's consent first.",
    }),
  ),
  line_items: Type.Optional(
    Type.Array(LineItem, {
      minItems: 1,
      maxItems: 100,
      description: "The items that the customer is buying. Their total must equal `amount`.",
    }),
  ),
  confirmation: Type.Optional(
    words(["automatic", "server"], {
      description: "With `server`, your server creates the charge from the approved decision. Defaults to `automatic`.",
    }),
  ),
  submit_button: Type.Optional(
    words(["built-in", "merchant"], {
      description:
        "With `merchant`, your page can submit the form and hide the form's Pay button. Defaults to `built-in`.",
    }),
  ),
  allowed_origins: Type.Optional(
    Type.Array(Type.String({ maxLength: 255 }), {
      maxItems: 20,
      uniqueItems: true,
      description:
        "Exact origins of the pages that can embed the checkout. Defaults to your account's allowed origins.",
    }),
  ),
  return_url: Type.Optional(
    Type.String({
      maxLength: 2048,
      description:
        "The URL that the full-page checkout sends the customer to afterward. `session_id` is added to its query string.",
    }),
  ),
  cancel_url: Type.Optional(
    Type.String({ maxLength: 2048, description: "The URL of the back link on the full-page checkout." }),
  ),
  description: Type.Optional(
    Type.String({ maxLength: 500, description: "A description of the purchase, shown to the customer." }),
  ),
  customer: Type.Optional(Customer),
  locale: Type.Optional(Locale),
  appearance: Type.Optional(Appearance),
  expires_after_minutes: Type.Optional(
    Type.Integer({ minimum: 5, maximum: 1440, description: "Minutes until the session expires. Defaults to 60." }),
  ),
  metadata: Type.Optional(Metadata),
});
export type CreateCheckoutSession = Static<typeof CreateCheckoutSession>;

export const CheckoutSession = closed(
  {
    id: id("cs"),
    object: Type.Literal("checkout_session"),
    livemode: Type.Boolean(),
    created: UnixSeconds,
    mode: words(["payment", "setup"]),
    status: words(["open", "complete", "expired", "canceled"], {
      description:
        "`open` is the only status that can change. `expired`: the session ran out of time or payment attempts. `canceled`: you canceled the session.",
    }),
    payment_status: words(["unpaid", "processing", "authorized", "paid", "none"], {
      description:
        "`processing`: the payment was sent to the acquirer. `authorized`: the payment isn't captured yet. `none`: the session has the mode `setup`.",
    }),
    amount: nullable(Amount),
    currency: nullable(Currency),
    confirmation: words(["automatic", "server"]),
    capture_method: CaptureMethod,
    save_payment_method: Type.Boolean(),
    submit_button: words(["built-in", "merchant"]),
    line_items: Type.Array(LineItem),
    allowed_origins: Type.Array(Type.String()),
    return_url: nullable(Type.String()),
    cancel_url: nullable(Type.String()),
    description: nullable(Type.String()),
    customer: nullable(Customer),
    locale: nullable(Locale),
    appearance: nullable(Appearance),
    attempts_left: Type.Integer({ description: "Number of payment attempts the customer has left." }),
    payment_method_id: nullable(
      Type.String({
        description:
          "The ID of the saved card. If `confirmation` is `server`, the ID of the card to charge, which is set when the decision is approved.",
      }),
    ),
    decision_id: nullable(
      Type.String({ description: "The ID of the approved decision. Set only if `confirmation` is `server`." }),
    ),
    expires_at: UnixSeconds,
    metadata: Metadata,
  },
  { $id: "CheckoutSession", description: "A checkout session, in which a customer pays or saves a card." },
);
export type CheckoutSession = Static<typeof CheckoutSession>;

export const CreatedCheckoutSession = closed(
  {
    session: Type.Ref("CheckoutSession"),
    embed_url: Type.String({
      description:
        "The URL to pass to the loader or redirect the customer to. It's returned only in this response, because its fragment contains the session's secret.",
    }),
  },
  { $id: "CreatedCheckoutSession", description: "A new checkout session and its URL." },
);
export interface CreatedCheckoutSession {
  session: CheckoutSession;
  embed_url: string;
}

// --- decisions
// ---------------------------------------------------------------------------------------------------------------------

export const CreateDecision = closed({
  payment_method_id: Type.String({ minLength: 1, maxLength: 100, description: "The ID of a saved card." }),
  amount: Amount,
  currency: Currency,
});
export type CreateDecision = Static<typeof CreateDecision>;

export const Decision = closed(
  {
    id: id("dec"),
    object: Type.Literal("decision"),
    livemode: Type.Boolean(),
    created: UnixSeconds,
    status: words(["requires_action", "approved", "declined", "expired", "consumed"], {
      description:
        "`requires_action`: the customer must authenticate. `consumed`: a charge was created from the decision.",
    }),
    amount: Type.Integer({
      minimum: 0,
      maximum: maxAmountMinor,
      description: "Amount in the currency's smallest unit. 0 if the card is saved without being charged.",
    }),
    currency: Currency,
    payment_method_id: Type.String(),
    session_id: nullable(Type.String()),
    risk: closed({
      level: words(["normal", "elevated", "high"]),
      reasons: Type.Array(Type.String(), {
        description: "The risk rules that matched, such as `card_velocity`, or `new_customers`.",
      }),
    }),
    three_d_secure: nullable(
      closed({
        result: words([
          "authenticated",
          "attempted",
          "exempted",
          "failed",
          "rejected",
          "canceled",
          "timed_out",
          "unavailable",
          "protocol_error",
          "not_supported",
        ]),
        version: nullable(Type.String()),
        eci: nullable(Type.String({ description: "Electronic commerce indicator, such as `05`." })),
        liability_shift: Type.Boolean({
          description:
            "Whether liability shifts to the issuer, based on the authentication alone. The acquirer's response to the charge can revoke the shift.",
        }),
      }),
    ),
    decline_code: nullable(words(declineCodes)),
    charge_id: nullable(Type.String()),
    expires_at: UnixSeconds,
  },
  {
    $id: "Decision",
    description:
      "The decision whether a card can be charged. An approved decision is valid for a single charge within 15 minutes.",
  },
);
export type Decision = Static<typeof Decision>;

// --- charges
// -----------------------------------------------------------------------------------------------------------------------

export const CreateCharge = closed({
  amount: Amount,
  currency: Currency,
  payment_method_id: Type.String({ minLength: 1, maxLength: 100 }),
  decision_id: Type.String({
    minLength: 1,
    maxLength: 100,
    description: "The ID of an approved, unused decision that covers at least this amount.",
  }),
  capture_method: Type.Optional(CaptureMethod),
  metadata: Type.Optional(Metadata),
});
export type CreateCharge = Static<typeof CreateCharge>;

/** Why the acquirer or the decision declined the charge. */
const Failure = closed({
  code: Type.Literal("card_declined"),
  decline_code: words(declineCodes),
  advice: words(["do_not_try_again", "confirm_card_data", "try_again_later"], {
    description: "Whether you can retry the charge: never, with corrected card data, or later.",
  }),
  message: Type.String(),
});

export const Charge = closed(
  {
    id: id("ch"),
    object: Type.Literal("charge"),
    livemode: Type.Boolean(),
    created: UnixSeconds,
    status: words(["processing", "authorized", "succeeded", "failed", "canceled"], {
      description: "`processing`: the outcome isn't known yet. `authorized`: you can capture or cancel the charge.",
    }),
    amount: Amount,
    currency: Currency,
    amount_captured: Type.Integer({ description: "Amount captured, in the currency's smallest unit." }),
    amount_refunded: Type.Integer({ description: "Amount refunded, in the currency's smallest unit." }),
    capture_method: CaptureMethod,
    pending_operation: nullable(
      words(["capture", "cancel"], {
        description:
          "The capture or cancellation that the acquirer has accepted but not completed yet. An event reports the outcome, which can take days. Null if there's none.",
      }),
    ),
    payment_method_id: Type.String(),
    decision_id: Type.String(),
    session_id: nullable(Type.String()),
    failure: nullable(Failure),
    metadata: Metadata,
  },
  { $id: "Charge", description: "A single attempt to charge a card." },
);
export type Charge = Static<typeof Charge>;

export const CaptureCharge = closed({
  amount: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: maxAmountMinor,
      description:
        "Amount to capture. Defaults to the authorized amount, which is also the maximum. Any remainder is released.",
    }),
  ),
});
export type CaptureCharge = Static<typeof CaptureCharge>;

// --- refunds
// -----------------------------------------------------------------------------------------------------------------------

export const CreateRefund = closed({
  charge_id: Type.String({ minLength: 1, maxLength: 100 }),
  amount: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: maxAmountMinor,
      description:
        "Amount to refund. Defaults to the captured amount that hasn't been refunded yet, which is also the maximum. Neither depends on chargebacks.",
    }),
  ),
  reason: Type.Optional(
    Type.String({ minLength: 1, maxLength: 500, description: "Your own note about the refund, returned unchanged." }),
  ),
});
export type CreateRefund = Static<typeof CreateRefund>;

export const Refund = closed(
  {
    id: id("re"),
    object: Type.Literal("refund"),
    livemode: Type.Boolean(),
    created: UnixSeconds,
    status: words(["processing", "pending", "succeeded", "failed"], {
      description:
        "`processing`: the outcome isn't known yet. `pending`: the acquirer accepted the refund, and an event reports the outcome, which can take days. A refund that succeeded can still fail later.",
    }),
    amount: Amount,
    currency: Currency,
    charge_id: Type.String(),
    reason: nullable(Type.String()),
    failure: nullable(Failure),
  },
  { $id: "Refund", description: "A full or partial refund of a charge." },
);
export type Refund = Static<typeof Refund>;

// --- disputes and the ledger
// -------------------------------------------------------------------------------------------------------

export const disputeStatuses = ["needs_response", "under_review", "won", "lost"] as const;

export const Dispute = closed(
  {
    id: id("dp"),
    object: Type.Literal("dispute"),
    livemode: Type.Boolean(),
    created: UnixSeconds,
    status: words(disputeStatuses, {
      description:
        "`needs_response`: submit evidence at the acquirer, or accept the dispute. `under_review`: the issuer or the card network decides. `won` and `lost` are final, but some acquirers reopen a dispute that was won.",
    }),
    charge_id: Type.String(),
    amount: nullable(
      Type.Integer({
        description:
          "Disputed amount in the currency's smallest unit. It can differ from the charge's amount. Null if the acquirer sent an amount that can't be expressed.",
      }),
    ),
    currency: nullable(Type.String({ description: "Can differ from the charge's currency." })),
    reason: nullable(Type.String({ description: "The card network's reason code.", examples: ["10.4"] })),
    respond_by: nullable({
      ...UnixSeconds,
      description: "When the time to respond ends, in Unix seconds. Null if the acquirer didn't say.",
    }),
    acquirer_id: Type.String({ description: "The acquirer's ID of the dispute." }),
  },
  {
    $id: "Dispute",
    description:
      "A customer's complaint about a charge at the issuer of the card, and the chargeback that may follow. Respond to it in the acquirer's own tools.",
  },
);
export type Dispute = Static<typeof Dispute>;

export const LedgerEntry = closed(
  {
    object: Type.Literal("ledger_entry"),
    livemode: Type.Boolean(),
    created: UnixSeconds,
    charge_id: Type.String(),
    kind: words([
      "capture",
      "capture_failed",
      "capture_repeated",
      "refund",
      "refund_failed",
      "refund_reversed",
      "refund_repeated",
      "chargeback",
      "chargeback_reversed",
      "second_chargeback",
    ]),
    amount: Type.Integer({
      description: "Positive if you receive the money, negative if you lose it, in the currency's smallest unit.",
    }),
    currency: Type.String({ description: "Chargebacks can have another currency than the charge." }),
    reference: Type.String({ description: "The acquirer's ID of the movement, or Oriel's if the acquirer has none." }),
  },
  { $id: "LedgerEntry", description: "Money that moved between you and the acquirer. Entries never change." },
);
export type LedgerEntry = Static<typeof LedgerEntry>;

// --- payment methods
// ---------------------------------------------------------------------------------------------------------------

const BillingDetails = closed(
  {
    name: Type.Optional(Type.String()),
    email: Type.Optional(Type.String()),
    postal_code: Type.Optional(Type.String()),
    country: Type.Optional(Type.String({ description: "Two-letter ISO 3166-1 country code, in uppercase." })),
  },
  {
    description:
      "Billing details that the customer entered in the form. The issuer hasn't verified them. Null if the form didn't ask for them. They're deleted together with the card.",
  },
);

export const PaymentMethod = closed(
  {
    id: id("pm"),
    object: Type.Literal("payment_method"),
    livemode: Type.Boolean(),
    created: UnixSeconds,
    brand: Type.String({ description: "The card's brand, such as `visa` or `mastercard`." }),
    last4: Type.String(),
    exp_month: Type.Integer(),
    exp_year: Type.Integer(),
    network: nullable(
      words(cardNetworks, {
        description:
          "The network that the customer chose for a co-badged card. Charges use this network. Null if the customer didn't choose one.",
      }),
    ),
    billing_details: nullable(BillingDetails),
    session_id: Type.String(),
    reusable: Type.Boolean({
      description: "Whether the card was saved, so that you can use it for new decisions and charges.",
    }),
  },
  { $id: "PaymentMethod", description: "A tokenized card. The card number stays in the vault." },
);
export type PaymentMethod = Static<typeof PaymentMethod>;

// --- card testing
// ------------------------------------------------------------------------------------------------------------------

export const CardTestingReport = closed(
  {
    id: id("ctr"),
    object: Type.Literal("card_testing_report"),
    livemode: Type.Boolean(),
    created: UnixSeconds,
    started_at: Type.Integer({
      description: "Attempts are counted from this time: one hour before card testing was detected, in Unix seconds.",
    }),
    ended_at: nullable(Type.Integer({ description: "When it ended, in Unix seconds. Null while it is ongoing." })),
    attempts: Type.Integer({ description: "Card attempts by new customers since `started_at`." }),
    blocked: Type.Integer({ description: "Attempts that ended without a request to the acquirer." }),
    declined: Type.Integer({ description: "Attempts that the issuer declined." }),
    approved: Type.Integer({ description: "Attempts that succeeded. Most are probably by legitimate customers." }),
  },
  {
    description:
      "Probable card testing at your checkout: within an hour, at least ten cards of new customers failed, and more cards failed than succeeded.",
  },
);
export type CardTestingReport = Static<typeof CardTestingReport>;

// --- what needs attention
// ----------------------------------------------------------------------------------------------------------

/**
 * - `outcome_unknown`: the outcome of a request to the acquirer has been unknown for a day, although we repeated it. An
 *   authorization is being reversed.
 * - `operation_overdue`: the acquirer accepted a capture, cancellation or refund long ago and hasn't reported the outcome.
 * - `reversal_failed`: a late approval couldn't be canceled or refunded, so the customer may have paid for nothing.
 * - `capture_failed_late`, `refund_failed_late`: it had succeeded, and then failed at the acquirer.
 * - `captured_again`, `refunded_again`: it had failed, and then succeeded at the acquirer.
 * - `rest_not_released`: after a partial capture, the rest couldn't be canceled.
 * - `fraud_reported`: the issuer reported fraud. A chargeback may follow.
 * - `unexpected_notification`: the acquirer reported something that doesn't fit what we know.
 * - `acquirer_unusable`: operations or notifications wait for an acquirer that can't be used. There's one item for each
 *   acquirer.
 */
export const attentionKinds = [
  "outcome_unknown",
  "operation_overdue",
  "reversal_failed",
  "capture_failed_late",
  "refund_failed_late",
  "captured_again",
  "refunded_again",
  "rest_not_released",
  "fraud_reported",
  "unexpected_notification",
  "acquirer_unusable",
] as const;
export type AttentionKind = (typeof attentionKinds)[number];

export const AttentionItem = closed(
  {
    id: id("na"),
    object: Type.Literal("attention_item"),
    livemode: Type.Boolean(),
    created: UnixSeconds,
    kind: words(attentionKinds),
    charge_id: nullable(Type.String()),
    details: Type.Record(Type.String(), nullable(Type.Union([Type.String(), Type.Integer()])), {
      description:
        "What is known about it, such as IDs at the acquirer, the amount, and the acquirer's event. The fields depend on `kind`.",
    }),
  },
  { description: "Something that Oriel can't resolve with the acquirer by itself, so a person has to check it." },
);
export type AttentionItem = Static<typeof AttentionItem>;

// --- events
// ------------------------------------------------------------------------------------------------------------------------

export const Event = closed(
  {
    id: id("evt"),
    object: Type.Literal("event"),
    type: words(allEventTypes),
    created: UnixSeconds,
    api_version: Type.String({ description: "The API version used to render `data.object`." }),
    livemode: Type.Boolean(),
    object_sequence: Type.Integer({
      description:
        "The event's position among the events of the same object (`data.object.id`), starting at 1 without gaps. Ignore events with a lower number than the last one you processed.",
    }),
    data: closed({
      object: Type.Record(Type.String(), Type.Unknown(), {
        description: "The object as it was when the event occurred.",
      }),
    }),
    request: closed(
      { id: nullable(Type.String()), idempotency_key: nullable(Type.String()) },
      {
        description:
          "The API request that caused the event. Its fields are null if the customer or a timeout caused the event.",
      },
    ),
  },
  { $id: "Event", description: "A record of a change to an object, sent as the body of a webhook." },
);

/** A charge as it appears in events, with its session. */
export interface ChargeWithSession extends Charge {
  session: Pick<CheckoutSession, "id" | "status" | "payment_status" | "attempts_left" | "metadata"> | null;
}

/**
 * An event whose `type` determines the type of its object: `if (event.type === "payment.succeeded")
 * event.data.object.amount`.
 */
export type Event = Omit<Static<typeof Event>, "type" | "data"> &
  (
    | { type: ChargeEventType; data: { object: ChargeWithSession } }
    | { type: RefundEventType; data: { object: Refund } }
    | { type: DisputeEventType; data: { object: Dispute } }
    | { type: SessionEventType; data: { object: CheckoutSession } }
    | { type: "account.card_testing"; data: { object: CardTestingReport } }
    | { type: "account.needs_attention"; data: { object: AttentionItem } }
    | { type: EndpointEventType; data: { object: WebhookEndpoint } }
  );

/**
 * A page of the event feed, oldest first: `{ object: "list", data, has_more, cursor }`. Pass `after: cursor` to get the
 * next page, even if `data` is empty. An event that commits later never appears before a cursor you already have.
 */
export interface EventWalk {
  object: "list";
  data: Event[];
  has_more: boolean;
  cursor: string;
}

// --- lists and errors
// --------------------------------------------------------------------------------------------------------------

/** `{ object: "list", data, has_more }`. To get the next page, pass the last ID as `starting_after`. */
export interface List<T> {
  object: "list";
  data: T[];
  has_more: boolean;
}

/** The query parameters of a list of objects whose IDs have this prefix. */
export const listQuery = (prefix: string) =>
  closed({
    limit: Type.Optional(
      Type.String({
        pattern: "^([1-9]|[1-9][0-9]|100)$",
        description: "Number of objects to return, from 1 to 100. Defaults to 10.",
      }),
    ),
    starting_after: Type.Optional(
      id(prefix, { description: "An object's ID. Returns the page of older objects that follows this object." }),
    ),
    ending_before: Type.Optional(
      id(prefix, { description: "An object's ID. Returns the page of newer objects that precedes this object." }),
    ),
  });

/** The API version of every event and response. */
export const apiVersion = "2026-11-20";
