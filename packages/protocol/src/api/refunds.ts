/** Refunds of charges. */
import Type, { type Static } from "typebox";
import { maxAmountMinor } from "../currency.ts";
import { closed, id, nullable, UnixSeconds, words } from "../shapes.ts";
import { Amount, Currency, Failure } from "./fields.ts";

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
