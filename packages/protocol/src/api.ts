/**
 * The shapes of the public API: JSON Schema for what comes in and what goes out, and the types inferred from them.
 * Unknown fields are refused, nothing is coerced, amounts are integers in the currency's smallest unit.
 *
 * The schemas validate on the server and make the OpenAPI document; everyone else imports the types only, so no bundle
 * holds them.
 */

import Type, { type Static, type TOptional, type TString } from "typebox";
import { cardNetworks } from "./card-networks.ts";
import { declineCodes } from "./declines.ts";
import { maxAmountMinor } from "./currency.ts";
import { appearanceVariables, type AppearanceVariable } from "./frame-looks.ts";
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
  description: "In the currency's smallest unit: 1000 is 10.00 EUR or 1,000 JPY.",
});
const Currency = Type.String({ pattern: "^[a-z]{3}$", description: "ISO 4217 code, lower case.", examples: ["eur"] });

/** Your own keys and values, given back as they came: at most 50 keys of 40 characters, values of 500. */
const Metadata = Type.Record(
  Type.String({ minLength: 1, maxLength: 40, pattern: "^[^\\[\\]]{1,40}$" }),
  Type.String({ maxLength: 500 }),
  {
    ...strict,
    maxProperties: 50,
    description: "Your own keys and values, given back as they came. Never put card data here.",
  },
);

// --- checkout sessions
// -------------------------------------------------------------------------------------------------------------

const Customer = closed({
  email: Type.Optional(Type.String({ maxLength: 254 })),
  name: Type.Optional(Type.String({ maxLength: 200 })),
  reference: Type.Optional(Type.String({ maxLength: 200, description: "What you call this customer." })),
});

const LineItem = closed({
  name: Type.String({ minLength: 1, maxLength: 200 }),
  amount: Type.Integer({
    minimum: 0,
    maximum: maxAmountMinor,
    description: "Of one, in the currency's smallest unit.",
  }),
  quantity: Type.Integer({ minimum: 1, maximum: 1_000_000 }),
});
export type LineItem = Static<typeof LineItem>;

/** By its tokens' names; what each may be is said in `frame-looks.ts`, which reads them. */
const variables = Object.fromEntries(
  appearanceVariables.map((name) => [name, Type.Optional(Type.String({ maxLength: 200 }))]),
) as Record<AppearanceVariable, TOptional<TString>>; // just made of all names

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
      "How the page looks: tokens, as the embed's option `appearance` has them. What the host page asks for counts more.",
  },
);

const Locale = Type.String({
  pattern: "^(auto|[A-Za-z]{2,3}(-[0-9A-Za-z]{2,8}){0,3})$",
  description:
    "The page's language, BCP 47; `auto` is what the browser asks for. What the host page asks for counts more.",
});

const CaptureMethod = words(["automatic", "manual"], {
  description: "`manual`: the money is reserved, and taken when you capture. Default `automatic`.",
});

export const CreateCheckoutSession = closed({
  mode: Type.Optional(
    words(["payment", "setup"], { description: "`setup` saves a card and takes no money. Default `payment`." }),
  ),
  amount: Type.Optional(Amount),
  currency: Type.Optional(Currency),
  capture_method: Type.Optional(CaptureMethod),
  save_payment_method: Type.Optional(
    Type.Boolean({
      description: "Keep the card for later charges, once this one has succeeded. Ask the customer first.",
    }),
  ),
  line_items: Type.Optional(
    Type.Array(LineItem, { minItems: 1, maxItems: 100, description: "What is paid for. The sum must be `amount`." }),
  ),
  confirmation: Type.Optional(
    words(["automatic", "server"], {
      description: "`server`: your server makes the charge with the decision. Default `automatic`.",
    }),
  ),
  submit_button: Type.Optional(
    words(["built-in", "merchant"], {
      description: "`merchant`: your page may press Pay, and hide the form's own button. Default `built-in`.",
    }),
  ),
  allowed_origins: Type.Optional(
    Type.Array(Type.String({ maxLength: 255 }), {
      maxItems: 20,
      uniqueItems: true,
      description: "Exact origins whose pages may hold the frame. Default: the account's.",
    }),
  ),
  return_url: Type.Optional(
    Type.String({
      maxLength: 2048,
      description: "Where the full page sends the customer afterwards; gains `session_id`.",
    }),
  ),
  cancel_url: Type.Optional(Type.String({ maxLength: 2048, description: "Where the full page's back link leads." })),
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
      description: "All but `open` are final. `expired`: its time or its tries are over. `canceled`: you ended it.",
    }),
    payment_status: words(["unpaid", "processing", "authorized", "paid", "none"], {
      description: "`processing`: the bank was asked. `authorized`: the money is reserved. `none`: mode `setup`.",
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
    attempts_left: Type.Integer({ description: "How often the customer may still try." }),
    payment_method_id: nullable(
      Type.String({
        description:
          "The card that was saved; with `confirmation: server` the one to charge, once the decision is approved.",
      }),
    ),
    decision_id: nullable(Type.String({ description: "With `confirmation: server`, once the decision is approved." })),
    expires_at: UnixSeconds,
    metadata: Metadata,
  },
  { $id: "CheckoutSession", description: "One sale: what a customer is asked to pay, or to save a card for." },
);
export type CheckoutSession = Static<typeof CheckoutSession>;

export const CreatedCheckoutSession = closed(
  {
    session: Type.Ref("CheckoutSession"),
    embed_url: Type.String({
      description: "For the loader or a redirect. Given here only; its fragment is a secret of this session.",
    }),
  },
  { $id: "CreatedCheckoutSession", description: "A new checkout session, and the address that shows it." },
);
export interface CreatedCheckoutSession {
  session: CheckoutSession;
  embed_url: string;
}

// --- decisions
// ---------------------------------------------------------------------------------------------------------------------

export const CreateDecision = closed({
  payment_method_id: Type.String({ minLength: 1, maxLength: 100, description: "One that was saved." }),
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
      description: "`requires_action`: the bank wants the customer. `consumed`: its one charge was made.",
    }),
    amount: Type.Integer({
      minimum: 0,
      maximum: maxAmountMinor,
      description: "0 where a card is saved and nothing is charged.",
    }),
    currency: Currency,
    payment_method_id: Type.String(),
    session_id: nullable(Type.String()),
    risk: closed({
      level: words(["normal", "elevated", "high"]),
      reasons: Type.Array(Type.String(), { description: "The rules that spoke, as `card_velocity`." }),
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
        eci: nullable(Type.String({ description: "The networks' indicator of how it went, as `05`." })),
        liability_shift: Type.Boolean({
          description: "As far as the authentication goes; the acquirer's answer to the charge can take it back.",
        }),
      }),
    ),
    decline_code: nullable(words(declineCodes)),
    charge_id: nullable(Type.String()),
    expires_at: UnixSeconds,
  },
  { $id: "Decision", description: "The verdict that lets one charge happen, once, for fifteen minutes." },
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

/** Why the bank, or the decision before it, said no. */
const Failure = closed({
  code: Type.Literal("card_declined"),
  decline_code: words(declineCodes),
  advice: words(["do_not_try_again", "confirm_card_data", "try_again_later"], {
    description: "What a program may do about it: nothing ever again, ask for other data, or try again later.",
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
      description: "`processing`: the bank has not said yet. `authorized`: reserved, to be captured or canceled.",
    }),
    amount: Amount,
    currency: Currency,
    amount_captured: Type.Integer({ description: "What was taken." }),
    amount_refunded: Type.Integer({ description: "What of it was given back." }),
    capture_method: CaptureMethod,
    payment_method_id: Type.String(),
    decision_id: Type.String(),
    session_id: nullable(Type.String()),
    failure: nullable(Failure),
    metadata: Metadata,
  },
  { $id: "Charge", description: "One try to take money from a card." },
);
export type Charge = Static<typeof Charge>;

export const CaptureCharge = closed({
  amount: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: maxAmountMinor,
      description: "At most what was reserved, which is the default. The rest is let go.",
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
      description: "At most what was captured and not refunded yet, which is the default.",
    }),
  ),
  reason: Type.Optional(
    Type.String({ minLength: 1, maxLength: 500, description: "Your own words, given back as they came." }),
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
  { $id: "Refund", description: "Money of a charge that is given back." },
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
      "What the customer gave in the form, not checked with the bank. Null when nothing was asked for; erased with the card.",
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
        description:
          "The network that the customer chose for a card that two share; charges go over it. Null: nothing was chosen.",
      }),
    ),
    billing_details: nullable(BillingDetails),
    session_id: Type.String(),
    reusable: Type.Boolean({ description: "Whether it was saved, and decisions and charges can be made with it." }),
  },
  { $id: "PaymentMethod", description: "A card by its token. Its number stays in the vault." },
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
    api_version: Type.String({ description: "The version that `data.object` is written in." }),
    livemode: Type.Boolean(),
    object_sequence: Type.Integer({
      description:
        "Counts the events of one `data.object.id` from 1 without gaps: drop what is lower than what you have seen.",
    }),
    data: closed({
      object: Type.Record(Type.String(), Type.Unknown(), { description: "The object as it was at that moment." }),
    }),
    request: closed(
      { id: nullable(Type.String()), idempotency_key: nullable(Type.String()) },
      { description: "The request that caused it. Nulls: the customer, or time." },
    ),
  },
  { $id: "Event", description: "Something that happened. The body of every webhook." },
);

/** The charge as events carry it, with the session it belongs to. */
export interface ChargeWithSession extends Charge {
  session: Pick<CheckoutSession, "id" | "status" | "payment_status" | "attempts_left" | "metadata"> | null;
}

/** An event with its object typed by its type: `if (event.type === "payment.succeeded") event.data.object.amount`. */
export type Event = Omit<Static<typeof Event>, "type" | "data"> &
  (
    | { type: ChargeEventType; data: { object: ChargeWithSession } }
    | { type: RefundEventType; data: { object: Refund } }
    | { type: SessionEventType; data: { object: CheckoutSession } }
    | { type: EndpointEventType; data: { object: WebhookEndpoint } }
  );

/**
 * A page of the walk, oldest first: `{ object: "list", data, has_more, cursor }`. Ask on with `after: cursor`, also
 * when `data` is empty. Nothing that commits later comes before a cursor.
 */
export interface EventWalk {
  object: "list";
  data: Event[];
  has_more: boolean;
  cursor: string;
}

// --- lists and errors
// --------------------------------------------------------------------------------------------------------------

/** `{ object: "list", data, has_more }`; ask on with `starting_after` the last id. */
export interface List<T> {
  object: "list";
  data: T[];
  has_more: boolean;
}

export const ListQuery = closed({
  limit: Type.Optional(Type.String({ pattern: "^([1-9]|[1-9][0-9]|100)$", description: "1 to 100, default 10." })),
  starting_after: Type.Optional(
    Type.String({ minLength: 1, maxLength: 100, description: "An id: the page after it, which is older." }),
  ),
  ending_before: Type.Optional(
    Type.String({ minLength: 1, maxLength: 100, description: "An id: the page before it, which is newer." }),
  ),
});
export type ListQuery = Static<typeof ListQuery>;

/** The version every event and answer is written in. */
export const apiVersion = "2026-11-20";
