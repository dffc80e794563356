import { describe, expect, it } from "vitest";
import type { Refund } from "@oriel/protocol/api";
import { refundableAmount } from "./refundable-amount.ts";

function refund(status: Refund["status"], amount: number) {
  const refund: Refund = {
    id: "re_1",
    object: "refund",
    livemode: false,
    created: 1,
    status,
    amount,
    currency: "eur",
    charge_id: "ch_1",
    reason: null,
    failure: null,
  };
  return { at: 1, type: "refund" as const, refund, attempt: null };
}

describe("refundableAmount", () => {
  it.each([
    ["everything that was captured", 0, [], 4900],
    ["what wasn't refunded", 900, [refund("succeeded", 900)], 4000],
    ["what isn't in a pending refund", 0, [refund("pending", 1900)], 3000],
    ["what isn't in a refund with an unknown outcome", 0, [refund("processing", 1900)], 3000],
    ["the amount of failed refunds too", 0, [refund("failed", 1900)], 4900],
    ["nothing if the rest is pending", 900, [refund("succeeded", 900), refund("pending", 4000)], 0],
  ])("is %s", (_name, amount_refunded, timeline, rest) => {
    expect(refundableAmount({ amount_captured: 4900, amount_refunded, timeline })).toBe(rest);
  });
});
