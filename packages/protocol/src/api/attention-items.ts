/** What a person has to check. */
import Type, { type Static } from "typebox";
import { closed, id, nullable, UnixSeconds, words } from "../shapes.ts";

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
