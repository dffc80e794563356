import { describe, expect, it } from "vitest";
import { refuseRefund } from "./begin-refund.ts";

const charge = {
  id: "ch_1",
  currency: "eur",
  status: "succeeded",
  amount_captured: 4900,
  amount_refunded: 1000,
  amount_refunding: 900,
} as const;
const fullyRefunded = { ...charge, amount_refunding: 3900 };
const authorized = { ...charge, status: "authorized" } as const;

describe("refuseRefund", () => {
  it.each([
    ["more than is left", charge, 3001, "amount_too_large", "You can refund up to €30.00 of charge ch_1."],
    ["the remaining amount right after another refund failed", charge, 3000, "charge_operation_in_progress", "Another"],
    ["a fully refunded charge", fullyRefunded, 1, "charge_not_refundable", "Charge ch_1 is already fully refunded"],
    [
      "a charge that was not captured",
      authorized,
      1,
      "charge_not_refundable",
      "Charge ch_1 has the status `authorized`",
    ],
  ])("refuses to refund %s", (_name, now, amount, code, message) => {
    const refusal = refuseRefund(now, amount);
    expect(refusal).toMatchObject({ code });
    expect(refusal.message).toContain(message);
  });
});
