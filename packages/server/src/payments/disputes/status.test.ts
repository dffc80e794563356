import { describe, expect, it } from "vitest";
import { disputeSteps } from "@oriel/vault";
import { isClosed, statusOf } from "./status.ts";

/** All orders of the values. */
function ordersOf<T>(values: readonly T[]): T[][] {
  if (values.length === 0) return [[]];
  return values.flatMap((first, i) => ordersOf(values.toSpliced(i, 1)).map((rest) => [first, ...rest]));
}

describe("statusOf", () => {
  it.each([
    ["dispute_updated", "needs_response"],
    ["dispute_opened", "needs_response"],
    ["dispute_opened chargeback", "needs_response"],
    ["chargeback response_missed", "lost"],
    ["chargeback response_sent", "under_review"],
    ["chargeback response_sent dispute_updated", "under_review"],
    ["chargeback chargeback_reversed", "under_review"],
    ["chargeback response_sent chargeback_reversed response_accepted", "won"],
    ["dispute_opened chargeback chargeback_reversed second_chargeback", "lost"],
    ["chargeback chargeback_reversed response_accepted second_chargeback", "lost"],
    ["chargeback chargeback_reversed prearbitration_opened", "needs_response"],
    ["chargeback chargeback_reversed prearbitration_opened prearbitration_lost", "lost"],
    ["chargeback chargeback_reversed prearbitration_opened prearbitration_won", "won"],
    ["chargeback prearbitration_opened prearbitration_declined arbitration_opened", "under_review"],
    ["chargeback prearbitration_declined arbitration_opened arbitration_lost", "lost"],
    ["chargeback prearbitration_declined arbitration_opened arbitration_won", "won"],
    // Only the later step arrived so far.
    ["second_chargeback", "lost"],
    ["chargeback_reversed", "under_review"],
  ])("after %s, in any order, is %s", (steps, status) => {
    const orders = ordersOf(steps.split(" "));
    expect(new Set(orders.map((order) => statusOf(new Set(order))))).toEqual(new Set([status]));
  });

  it("ignores steps that it doesn't know", () => {
    expect(statusOf(new Set(["a_new_step", "response_sent"]))).toBe("under_review");
    expect(statusOf(new Set(["a_new_step"]))).toBe("needs_response");
  });

  it("is closed by a step that ends the dispute", () => {
    const closing = disputeSteps.filter((step) => isClosed(statusOf(new Set([step]))));
    expect(closing).toEqual([
      "response_missed",
      "response_accepted",
      "second_chargeback",
      "prearbitration_lost",
      "prearbitration_won",
      "arbitration_lost",
      "arbitration_won",
    ]);
  });
});
