import { describe, expect, it } from "vitest";
import { refuseCapture } from "./begin-capture.ts";

const charge = {
  id: "ch_1",
  status: "authorized",
  amount: 4900,
  currency: "eur",
  busy_attempt_id: null,
  pending_operation: null,
} as const;
const busy = { ...charge, busy_attempt_id: "att_1" };

describe("refuseCapture", () => {
  it.each([
    ["more than the charge reserved", charge, 4901, "amount_too_large", "You can capture up to €49.00 of charge ch_1."],
    ["the full amount right after another operation ended", charge, 4900, "charge_operation_in_progress", "Another"],
    ["any amount while another operation is in progress", busy, 4901, "charge_operation_in_progress", "Another"],
    [
      "any amount while a capture is pending",
      { ...busy, pending_operation: "capture" } as const,
      4900,
      "charge_operation_in_progress",
      "has accepted a capture of charge ch_1 and hasn't completed it yet",
    ],
    [
      "any amount while a cancellation is pending",
      { ...busy, pending_operation: "cancel" } as const,
      4900,
      "charge_operation_in_progress",
      "receive as `charge.canceled` or `charge.cancel_failed`",
    ],
    [
      "a charge that was already captured",
      { ...charge, status: "succeeded" } as const,
      4901,
      "charge_not_capturable",
      "Charge ch_1 has the status `succeeded`",
    ],
  ])("refuses to capture %s", (_name, now, amount, code, message) => {
    const refusal = refuseCapture(now, amount);
    expect(refusal).toMatchObject({ code });
    expect(refusal.message).toContain(message);
  });
});
