/** Tests the line that says how much of a payment was captured and refunded. */
import { describe, expect, it } from "vitest";
import { amountLine, netAmount, totalLine, type ChargeAmounts } from "./amount-line.ts";

const paid = { status: "succeeded", amount: 4900, amount_captured: 4900, amount_refunded: 0, currency: "eur" } as const;

describe("amountLine", () => {
  it.each<[ChargeAmounts, string]>([
    [paid, "€49.00 captured"],
    [{ ...paid, amount_captured: 2450 }, "€24.50 of €49.00 captured"],
    [{ ...paid, amount_refunded: 2450 }, "€49.00 captured, €24.50 refunded"],
    [{ ...paid, amount_captured: 2450, amount_refunded: 1000 }, "€24.50 of €49.00 captured, €10.00 refunded"],
    [{ ...paid, amount: 700, amount_captured: 700, currency: "jpy" }, "¥700 captured"],
    [{ ...paid, status: "authorized", amount_captured: 0 }, "€49.00 authorized, not captured yet"],
    [{ ...paid, status: "failed", amount_captured: 0 }, "€49.00 not charged"],
    [{ ...paid, status: "canceled", amount_captured: 0 }, "€49.00 released, not charged"],
    [{ ...paid, status: "processing", amount_captured: 0 }, "€49.00, outcome unknown"],
  ])("describes %j", (charge, line) => {
    expect(amountLine(charge)).toBe(line);
  });
});

it("netAmount subtracts refunds from what was captured", () => {
  expect(netAmount({ ...paid, amount_captured: 2450, amount_refunded: 1000 })).toBe(1450);
});

describe("totalLine", () => {
  it.each<[readonly ChargeAmounts[], string]>([
    [[paid], "1 payment: €49.00 captured"],
    [[paid, { ...paid, status: "failed", amount_captured: 0 }], "2 payments, 1 successful: €49.00 captured"],
    [[paid, { ...paid, amount_refunded: 2450 }], "2 payments: €98.00 captured, €24.50 refunded, €73.50 net"],
    [
      [paid, { ...paid, amount: 700, amount_captured: 700, currency: "jpy" }],
      "2 payments: €49.00 captured; ¥700 captured",
    ],
  ])("adds up %j", (charges, line) => {
    expect(totalLine(charges)).toBe(line);
  });
});
