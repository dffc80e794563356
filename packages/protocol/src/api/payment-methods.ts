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
