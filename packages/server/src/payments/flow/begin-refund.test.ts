import { describe, expect, it } from "vitest";
import { refuseRefund } from "./begin-refund.ts";

const charge = {
  id: "ch_1",
  currency: "eur",
  status: "succeeded",
  amount_captured: 4900,
  amount_refunded: 1000,
  amount_refunding: 900,
  pending_operation: null,
} as const;
const idle = { ...charge, amount_refunding: 0 };
const fullyRefunded = { ...charge, amount_refunding: 3900 };
const authorized = { ...charge, status: "authorized" } as const;

const inProgress = "Another capture, cancellation or refund of charge ch_1 is in progress";

describe("refuseRefund", () => {
  it.each([
    ["more than is left", charge, 3001, null, "amount_too_large", "You can refund up to €30.00 of charge ch_1."],
    [
      "what may be a duplicate",
      { ...charge, amount_refunding: 1 },
      3899,
      null,
      "charge_operation_in_progress",
      "this request may be a duplicate",
    ],
    ["with a key, after another refund failed", charge, 3000, "key_1", "charge_operation_in_progress", inProgress],
    ["without a key, after the only one failed", idle, 3900, null, "charge_operation_in_progress", inProgress],
    [
      "a fully refunded charge",
      fullyRefunded,
      1,
      null,
      "charge_not_refundable",
      "Charge ch_1 is already fully refunded",
    ],
    [
      "a charge that was not captured",
      authorized,
      1,
      null,
      "charge_not_refundable",
      "Charge ch_1 has the status `authorized`",
    ],
  ])("refuses to refund %s", (_name, now, amount, key, code, message) => {
    const refusal = refuseRefund(now, amount, key);
    expect(refusal).toMatchObject({ code });
    expect(refusal.message).toContain(message);
  });
});
