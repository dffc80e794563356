import { describe, expect, it } from "vitest";
import { refuseCapture } from "./begin-capture.ts";

const charge = { id: "ch_1", status: "authorized", amount: 4900, currency: "eur", busy_attempt_id: null } as const;

describe("refuseCapture", () => {
  it.each([
    ["more than the charge reserved", charge, 4901, "amount_too_large"],
    ["the full amount right after another operation ended", charge, 4900, "charge_operation_in_progress"],
    [
      "any amount while another operation is in progress",
      { ...charge, busy_attempt_id: "att_1" },
      4901,
      "charge_operation_in_progress",
    ],
    ["a charge that was already captured", { ...charge, status: "succeeded" } as const, 4901, "charge_not_capturable"],
  ])("refuses to capture %s", (_name, now, amount, code) => {
    expect(refuseCapture(now, amount)).toMatchObject({ code });
  });
});
