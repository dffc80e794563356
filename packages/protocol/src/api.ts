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
import { closed, id, nullable, strict, UnixSeconds, words } from "./shapes.ts";
import {
  allEventTypes,
  type ChargeEventType,
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
  description: "In the currency's smallest unit: 1000 is €10.00 or ¥1,000.",
});
const Currency = Type.String({ pattern: "^[a-z]{3}$", description: "ISO 4217 code, lower case.", examples: ["eur"] });

/** At most 50 keys of up to 40 characters, with values of up to 500. */
const Metadata = Type.Record(
  Type.String({ minLength: 1, maxLength: 40, pattern: "^[^\\[\\]]{1,40}$" }),
  Type.String({ maxLength: 500 }),
  {
    ...strict,
    maxProperties: 50,
    description: "Your own key-value pairs, returned unchanged. Don't put card data here.",
  },
);

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
    description: "Unit price, in the currency's smallest unit.",
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
      "The form's appearance, as in the embed's `appearance` option. The host page's option takes precedence.",
  },
);

const Locale = Type.String({
  pattern: "^(auto|[A-Za-z]{2,3}(-[0-9A-Za-z]{2,8}){0,3})$",
  description:
    "The page's language as a BCP 47 tag. `auto` follows the browser. The host page's option takes precedence.",
});

const CaptureMethod = words(["automatic", "manual"], {
  description: "`manual` authorizes the amount, and you capture it later. Default `automatic`.",
});

export const CreateCheckoutSession = closed({
  mode: Type.Optional(
    words(["payment", "setup"], { description: "`setup` saves a card without charging it. Default `payment`." }),
  ),
  amount: Type.Optional(Amount),
  currency: Type.Optional(Currency),
  capture_method: Type.Optional(CaptureMethod),
  save_payment_method: Type.Optional(
    Type.Boolean({
      description: "Save the card for later charges when this one succeeds. Get the customer's consent first.",
    }),
  ),
  line_items: Type.Optional(
    Type.Array(LineItem, {
      minItems: 1,
      maxItems: 100,
      description: "What the customer is buying. The items must add up to `amount`.",
    }),
  ),
  confirmation: Type.Optional(
    words(["automatic", "server"], {
      description: "`server`: your server creates the charge from the decision. Default `automatic`.",
    }),
  ),
  submit_button: Type.Optional(
    words(["built-in", "merchant"], {
      description: "`merchant` lets your page submit the form and hide its Pay button. Default `built-in`.",
    }),
  ),
  allowed_origins: Type.Optional(
    Type.Array(Type.String({ maxLength: 255 }), {
      maxItems: 20,
      uniqueItems: true,
      description: "Exact origins of the pages that may embed the checkout. Default: your account's origins.",
    }),
  ),
  return_url: Type.Optional(
    Type.String({
      maxLength: 2048,
      description: "Where the full page sends the customer afterwards. `session_id` is added to the query string.",
    }),
  ),
  cancel_url: Type.Optional(Type.String({ maxLength: 2048, description: "Where the full page's back link goes." })),
  description: Type.Optional(Type.String({ maxLength: 500, description: "Shown to the customer." })),
  customer: Type.Optional(Customer),
  locale: Type.Optional(Locale),
  appearance: Type.Optional(Appearance),
  expires_after_minutes: Type.Optional(Type.Integer({ minimum: 5, maximum: 1440, description: "Default 60." })),
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
      description: "All but `open` are final. `expired`: out of time or attempts. `canceled`: you canceled it.",
    }),
    payment_status: words(["unpaid", "processing", "authorized", "paid", "none"], {
      description: "`processing`: sent to the acquirer. `authorized`: not captured yet. `none`: `mode` is `setup`.",
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
    attempts_left: Type.Integer({ description: "Payment attempts the customer has left." }),
    payment_method_id: nullable(
      Type.String({
        description:
          "The saved card. With `confirmation: server`, the card to charge, set when the decision is approved.",
      }),
    ),
    decision_id: nullable(
      Type.String({ description: "With `confirmation: server`, set when the decision is approved." }),
    ),
    expires_at: UnixSeconds,
    metadata: Metadata,
  },
  { $id: "CheckoutSession", description: "One checkout, in which a customer pays or saves a card." },
);
export type CheckoutSession = Static<typeof CheckoutSession>;

export const CreatedCheckoutSession = closed(
  {
    session: Type.Ref("CheckoutSession"),
    embed_url: Type.String({
      description: "Pass it to the loader or redirect to it. Returned only here. Its fragment is the session's secret.",
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
  payment_method_id: Type.String({ minLength: 1, maxLength: 100, description: "A saved card." }),
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
      description: "`requires_action`: requires authentication. `consumed`: its charge was created.",
    }),
    amount: Type.Integer({
      minimum: 0,
      maximum: maxAmountMinor,
      description: "0 if a card is saved without a charge.",
    }),
    currency: Currency,
    payment_method_id: Type.String(),
    session_id: nullable(Type.String()),
    risk: closed({
      level: words(["normal", "elevated", "high"]),
      reasons: Type.Array(Type.String(), { description: "The rules that matched, such as `card_velocity`." }),
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
          description: "Based on the authentication alone. The acquirer's response to the charge can revoke it.",
        }),
      }),
    ),
    decline_code: nullable(words(declineCodes)),
    charge_id: nullable(Type.String()),
    expires_at: UnixSeconds,
  },
  { $id: "Decision", description: "Approves a single charge. Valid for 15 minutes." },
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
    description: "Approved, unused, and for at least this amount.",
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
    description: "Whether to retry: never, with corrected card data, or later.",
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
      description: "`processing`: outcome unknown. `authorized`: ready to be captured or canceled.",
    }),
    amount: Amount,
    currency: Currency,
    amount_captured: Type.Integer({ description: "Amount captured." }),
    amount_refunded: Type.Integer({ description: "Amount refunded." }),
    capture_method: CaptureMethod,
    payment_method_id: Type.String(),
    decision_id: Type.String(),
    session_id: nullable(Type.String()),
    failure: nullable(Failure),
    metadata: Metadata,
  },
  { $id: "Charge", description: "One attempt to charge a card." },
);
export type Charge = Static<typeof Charge>;

export const CaptureCharge = closed({
  amount: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: maxAmountMinor,
      description: "At most the authorized amount, which is the default. The remainder is released.",
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
      description: "At most the captured amount that isn't refunded yet, which is the default.",
    }),
  ),
  reason: Type.Optional(
    Type.String({ minLength: 1, maxLength: 500, description: "Your own text, returned unchanged." }),
  ),
});
export type CreateRefund = Static<typeof CreateRefund>;

export const Refund = closed(
  {
    id: id("re"),
    object: Type.Literal("refund"),
    livemode: Type.Boolean(),
    created: UnixSeconds,
    status: words(["processing", "succeeded", "failed"]),
    amount: Amount,
    currency: Currency,
    charge_id: Type.String(),
    reason: nullable(Type.String()),
    failure: nullable(Failure),
  },
  { $id: "Refund", description: "A full or partial refund of a charge." },
);
export type Refund = Static<typeof Refund>;

// --- payment methods
// ---------------------------------------------------------------------------------------------------------------

const BillingDetails = closed(
  {
    name: Type.Optional(Type.String()),
    email: Type.Optional(Type.String()),
    postal_code: Type.Optional(Type.String()),
    country: Type.Optional(Type.String({ description: "ISO 3166-1 alpha-2, upper case." })),
  },
  {
    description:
      "What the customer entered in the form, not verified by the issuer. Null if the form didn't ask. Deleted with the card.",
  },
);

export const PaymentMethod = closed(
  {
    id: id("pm"),
    object: Type.Literal("payment_method"),
    livemode: Type.Boolean(),
    created: UnixSeconds,
    brand: Type.String({ description: "`visa`, `mastercard`, ..." }),
    last4: Type.String(),
    exp_month: Type.Integer(),
    exp_year: Type.Integer(),
    network: nullable(
      words(cardNetworks, {
        description: "The network the customer chose for a co-badged card. Charges use it. Null if none was chosen.",
      }),
    ),
    billing_details: nullable(BillingDetails),
    session_id: Type.String(),
    reusable: Type.Boolean({
      description: "Whether the card was saved, so you can create decisions and charges with it.",
    }),
  },
  { $id: "PaymentMethod", description: "A tokenized card. Its number stays in the vault." },
);
export type PaymentMethod = Static<typeof PaymentMethod>;

// --- events
// ------------------------------------------------------------------------------------------------------------------------

export const Event = closed(
  {
    id: id("evt"),
    object: Type.Literal("event"),
    type: words(allEventTypes),
    created: UnixSeconds,
    api_version: Type.String({ description: "The API version of `data.object`." }),
    livemode: Type.Boolean(),
    object_sequence: Type.Integer({
      description:
        "Numbers the events of one `data.object.id` from 1 without gaps. Ignore events with a lower number than the last one you processed.",
    }),
    data: closed({
      object: Type.Record(Type.String(), Type.Unknown(), { description: "The object at the time of the event." }),
    }),
    request: closed(
      { id: nullable(Type.String()), idempotency_key: nullable(Type.String()) },
      {
        description:
          "The API request that caused the event. Its fields are null if the customer or a timeout caused it.",
      },
    ),
  },
  { $id: "Event", description: "A change to an object, sent as the body of a webhook." },
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
    | { type: SessionEventType; data: { object: CheckoutSession } }
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

export const ListQuery = closed({
  limit: Type.Optional(Type.String({ pattern: "^([1-9]|[1-9][0-9]|100)$", description: "1 to 100, default 10." })),
  starting_after: Type.Optional(
    Type.String({ minLength: 1, maxLength: 100, description: "An ID. Returns the page after it, with older objects." }),
  ),
  ending_before: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 100,
      description: "An ID. Returns the page before it, with newer objects.",
    }),
  ),
});
export type ListQuery = Static<typeof ListQuery>;

/** The API version of every event and response. */
export const apiVersion = "2026-11-20";
