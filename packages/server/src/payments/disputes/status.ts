/**
 * The status of a dispute, from the set of its steps so far. Steps can arrive in any order, so the latest one in the
 * order of the card networks decides, and not the latest one to arrive.
 *
 * A reversed chargeback isn't won yet: the issuer can still answer with a second chargeback or a pre-arbitration.
 */
import type { Dispute } from "@oriel/protocol/api";
import { disputeSteps, type DisputeStep } from "@oriel/vault";

const statuses: Readonly<Record<DisputeStep, Dispute["status"]>> = {
  dispute_updated: "needs_response",
  dispute_opened: "needs_response",
  chargeback: "needs_response",
  response_missed: "lost",
  response_sent: "under_review",
  chargeback_reversed: "under_review",
  response_accepted: "won",
  second_chargeback: "lost",
  prearbitration_opened: "needs_response",
  prearbitration_declined: "under_review",
  prearbitration_lost: "lost",
  prearbitration_won: "won",
  arbitration_opened: "under_review",
  arbitration_lost: "lost",
  arbitration_won: "won",
};

/** @param steps at least one; others than {@link DisputeStep} are ignored, because a newer version may know more */
export function statusOf(steps: ReadonlySet<string>): Dispute["status"] {
  return statuses[latestOf(steps) ?? "dispute_updated"];
}

/** The latest step in the order of the card networks. */
function latestOf(steps: ReadonlySet<string>): DisputeStep | undefined {
  return disputeSteps.findLast((step) => steps.has(step));
}

export function isClosed(status: Dispute["status"]): boolean {
  return status === "won" || status === "lost";
}
