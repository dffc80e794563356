/** Charges, and their captures. */
import Type, { type Static } from "typebox";
import { maxAmountMinor } from "../currency.ts";
import { closed, id, nullable, UnixSeconds, words } from "../shapes.ts";
import { Amount, Currency, Metadata, CaptureMethod, Failure } from "./fields.ts";

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
    session_version: nullable(
      Type.Integer({ description: "The `version` of the session that the customer paid for. Null without a session." }),
    ),
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
