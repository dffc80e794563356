/** Decisions, which permit one charge each. */
import Type, { type Static } from "typebox";
import { maxAmountMinor } from "../currency.ts";
import { declineCodes } from "../declines.ts";
import { closed, id, nullable, UnixSeconds, words } from "../shapes.ts";
import { Amount, Currency } from "./fields.ts";

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
