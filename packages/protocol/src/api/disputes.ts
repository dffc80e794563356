/** Disputes of charges. */
import Type, { type Static } from "typebox";
import { closed, id, nullable, UnixSeconds, words } from "../shapes.ts";

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
