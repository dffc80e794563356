/** The ledger of what moved between a merchant and the acquirer. */
import Type, { type Static } from "typebox";
import { closed, UnixSeconds, words } from "../shapes.ts";

export const LedgerEntry = closed(
  {
    object: Type.Literal("ledger_entry"),
    livemode: Type.Boolean(),
    created: UnixSeconds,
    charge_id: Type.String(),
    kind: words([
      "capture",
      "capture_failed",
      "capture_repeated",
      "refund",
      "refund_failed",
      "refund_reversed",
      "refund_repeated",
      "chargeback",
      "chargeback_reversed",
      "second_chargeback",
    ]),
    amount: Type.Integer({
      description: "Positive if you receive the money, negative if you lose it, in the currency's smallest unit.",
    }),
    currency: Type.String({ description: "Chargebacks can have another currency than the charge." }),
    reference: Type.String({ description: "The acquirer's ID of the movement, or Oriel's if the acquirer has none." }),
  },
  { $id: "LedgerEntry", description: "Money that moved between you and the acquirer. Entries never change." },
);
export type LedgerEntry = Static<typeof LedgerEntry>;
