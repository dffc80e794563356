/** Checkout sessions, in which customers pay or save cards. */
import Type, { type Static, type TOptional, type TString } from "typebox";
import { appearanceVariables, type AppearanceVariable } from "../appearance-settings.ts";
import { maxAmountMinor } from "../currency.ts";
import { closed, id, nullable, UnixSeconds, words } from "../shapes.ts";
import { Currency, Metadata, MetadataChange, CaptureMethod } from "./fields.ts";

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

export const ShippingOption = closed({
  id: Type.String({ pattern: "^[\\w.-]{1,64}$", description: "Your own ID for this option." }),
  name: Type.String({ minLength: 1, maxLength: 200 }),
  amount: Type.Integer({ minimum: 0, maximum: maxAmountMinor }),
});
export type ShippingOption = Static<typeof ShippingOption>;

export const Discount = closed({
  name: Type.String({ minLength: 1, maxLength: 200 }),
  amount: Type.Integer({
    minimum: 1,
    maximum: maxAmountMinor,
    description: "How much less the customer pays, as a positive amount.",
  }),
});
export type Discount = Static<typeof Discount>;

/** What the customer pays. Charges are at least 1. */
const total = (description: string) => Type.Integer({ minimum: 0, maximum: maxAmountMinor, description });
const TaxAmount = Type.Integer({
  minimum: 0,
  maximum: maxAmountMinor,
  description: "Tax that is added to the line items.",
});
const ShippingOptionId = Type.String({
  maxLength: 64,
  description: "The ID of the chosen shipping option. Defaults to the first one.",
});

/** What `amount` consists of. @param least the minimum number of line items */
const parts = (least: 0 | 1) => ({
  line_items: Type.Optional(
    Type.Array(LineItem, {
      minItems: least,
      maxItems: 100,
      description:
        "The items that the customer is buying. Together with the chosen shipping option and the tax, and minus the discounts, they must add up to `amount`.",
    }),
  ),
  shipping_options: Type.Optional(
    Type.Array(ShippingOption, {
      maxItems: 20,
      description: "Ways of shipping. They require `line_items`.",
    }),
  ),
  shipping_option: Type.Optional(ShippingOptionId),
  discounts: Type.Optional(
    Type.Array(Discount, { maxItems: 20, description: "Discounts. They require `line_items`." }),
  ),
  tax_amount: Type.Optional(nullable(TaxAmount)),
});

/** Why a promotion code was rejected. The form has a sentence for each reason. */
const rejectionReasons = ["invalid", "expired", "not_applicable"] as const;

const RejectionReason = words(rejectionReasons, {
  description:
    "`invalid`: there's no such code. `expired`: it's no longer valid. `not_applicable`: it doesn't apply to this order.",
});

export const UpdateRequest = closed(
  {
    kind: words(["promotion_code"]),
    status: words(["pending", "accepted", "rejected"], {
      description: "`pending`: your server hasn't replied yet.",
    }),
    reason: nullable(RejectionReason),
    requested_at: UnixSeconds,
  },
  { description: "The customer's latest request for a change, which your server accepts or rejects." },
);
export type UpdateRequest = Static<typeof UpdateRequest>;

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

export const CreateCheckoutSession = closed({
  mode: Type.Optional(
    words(["payment", "setup"], {
      description: "`payment` charges a card. `setup` saves a card without charging it. Defaults to `payment`.",
    }),
  ),
  amount: Type.Optional(
    total(
      "The total in the currency's smallest unit. For example, 1000 is €10.00 or ¥1,000. With 0, no payment is required.",
    ),
  ),
  currency: Type.Optional(Currency),
  capture_method: Type.Optional(CaptureMethod),
  save_payment_method: Type.Optional(
    Type.Boolean({
      description:
        "Whether to save the card for later charges if the payment succeeds or, with a total of 0, if the issuer verifies the card. Get the customer's consent first.",
    }),
  ),
  ...parts(1),
  collect: Type.Optional(
    closed({
      promotion_code: Type.Optional(
        Type.Boolean({
          description:
            "Whether the customer can enter a promotion code, which your server checks. Defaults to `false`.",
        }),
      ),
    }),
  ),
  confirmation: Type.Optional(
    words(["automatic", "server"], {
      description:
        "With `server`, your server creates the charge from the approved decision. It has no effect while the total is 0. Defaults to `automatic`.",
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

export const UpdateCheckoutSession = closed({
  amount: Type.Optional(
    total("The new total. If you omit it, it's what the line items and the other parts add up to."),
  ),
  ...parts(0),
  reject: Type.Optional(
    closed(
      { field: words(["promotion_code"]), reason: RejectionReason },
      {
        description:
          "Rejects the promotion code in `if_promotion_code`. To accept that code, send `amount` or its parts instead.",
      },
    ),
  ),
  description: Type.Optional(
    nullable(Type.String({ maxLength: 500, description: "A description of the purchase, shown to the customer." })),
  ),
  metadata: Type.Optional(MetadataChange),
  if_version: Type.Optional(
    Type.Integer({
      minimum: 1,
      description: "The `version` that you have read. If the session has another one by now, nothing is changed.",
    }),
  ),
  if_promotion_code: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 64,
      description:
        "The promotion code that you have checked and that you accept or reject. If the customer has entered another one since, nothing is changed. A change without it leaves the code pending.",
    }),
  ),
});
export type UpdateCheckoutSession = Static<typeof UpdateCheckoutSession>;

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
    payment_status: words(["unpaid", "processing", "authorized", "paid", "no_payment_required", "none"], {
      description:
        "`processing`: the payment was sent to the acquirer. `authorized`: the payment isn't captured yet. `no_payment_required`: the total is 0. `none`: the session has the mode `setup`.",
    }),
    amount: nullable(total("The total in the currency's smallest unit.")),
    currency: nullable(Currency),
    confirmation: words(["automatic", "server"]),
    capture_method: CaptureMethod,
    save_payment_method: Type.Boolean(),
    submit_button: words(["built-in", "merchant"]),
    version: Type.Integer({
      description: "Starts at 1 and increases by 1 whenever `amount` or one of its parts changes.",
    }),
    line_items: Type.Array(LineItem),
    shipping_options: Type.Array(ShippingOption),
    shipping_option: nullable(ShippingOptionId),
    discounts: Type.Array(Discount),
    tax_amount: nullable(TaxAmount),
    collect: closed({ promotion_code: Type.Boolean() }),
    collected: closed({
      promotion_code: nullable(
        Type.String({ description: "The latest promotion code that the customer entered, whether or not it's valid." }),
      ),
    }),
    update_request: nullable(UpdateRequest),
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
        "The URL to pass to the loader or redirect the customer to. Other responses don't contain it, because its fragment contains the session's secret.",
    }),
  },
  { $id: "CreatedCheckoutSession", description: "A checkout session and its new URL." },
);
export interface CreatedCheckoutSession {
  session: CheckoutSession;
  embed_url: string;
}
