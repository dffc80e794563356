/** Stored cards. */
import Type, { type Static } from "typebox";
import { cardNetworks } from "../card-networks.ts";
import { closed, id, nullable, UnixSeconds, words } from "../shapes.ts";

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

const Consent = closed(
  {
    text: Type.String({ description: "What the customer read and agreed to." }),
    locale: Type.String({ description: "The language of the text, as a BCP 47 tag." }),
    accepted_at: UnixSeconds,
    ip: nullable(
      Type.String({ description: "The customer's IP address. It's deleted together with the card, and is then null." }),
    ),
  },
  {
    description:
      "The customer's consent to save the card. Null if Oriel didn't ask for it. You need the customer's consent anyway.",
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
    customer_id: nullable(
      Type.String({
        description: "The ID of the customer that the card belongs to. It stays if the customer is deleted.",
      }),
    ),
    usage: nullable(
      words(["on_session", "off_session"], {
        description:
          "`off_session`: you can charge the card when the customer isn't present. `on_session`: only when the customer is present. Null if the card isn't saved.",
      }),
    ),
    consent: nullable(Consent),
    removable_by_customer: Type.Boolean({ description: "Whether the customer may remove the card." }),
    last_used_at: nullable(
      Type.Integer({
        description:
          "When a payment with the card was last authorized, as Unix time in seconds. Null if none was, or if the last one was before Oriel stored this.",
      }),
    ),
  },
  { $id: "PaymentMethod", description: "A tokenized card. The card number stays in the vault." },
);
export type PaymentMethod = Static<typeof PaymentMethod>;

/**
 * A payment method in an event. Events are kept after the card is erased, so they have nothing that is erased with it, and
 * no expiry date.
 */
export type PaymentMethodSnapshot = Omit<PaymentMethod, "exp_month" | "exp_year" | "billing_details" | "consent">;

export const UpdatePaymentMethod = closed({
  removable_by_customer: Type.Optional(
    Type.Boolean({
      description: "Whether the customer may remove the card. Set it to `false` while a subscription needs the card.",
    }),
  ),
});
export type UpdatePaymentMethod = Static<typeof UpdatePaymentMethod>;

export const AttachPaymentMethod = closed({
  customer_id: Type.String({
    minLength: 1,
    maxLength: 100,
    description: "The ID of the customer that the card will belong to.",
  }),
});
export type AttachPaymentMethod = Static<typeof AttachPaymentMethod>;
