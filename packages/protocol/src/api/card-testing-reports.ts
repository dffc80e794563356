/** Reports of card testing. */
import Type, { type Static } from "typebox";
import { closed, id, nullable, UnixSeconds } from "../shapes.ts";

export const CardTestingReport = closed(
  {
    id: id("ctr"),
    object: Type.Literal("card_testing_report"),
    livemode: Type.Boolean(),
    created: UnixSeconds,
    started_at: Type.Integer({
      description: "Attempts are counted from this time: one hour before card testing was detected, in Unix seconds.",
    }),
    ended_at: nullable(Type.Integer({ description: "When it ended, in Unix seconds. Null while it is ongoing." })),
    attempts: Type.Integer({ description: "Card attempts by new customers since `started_at`." }),
    blocked: Type.Integer({ description: "Attempts that ended without a request to the acquirer." }),
    declined: Type.Integer({ description: "Attempts that the issuer declined." }),
    approved: Type.Integer({ description: "Attempts that succeeded. Most are probably by legitimate customers." }),
  },
  {
    description:
      "Probable card testing at your checkout: within an hour, at least ten cards of new customers failed, and more cards failed than succeeded.",
  },
);
export type CardTestingReport = Static<typeof CardTestingReport>;
