import { expect, it } from "vitest";
import { refuseCapture } from "./begin-capture.ts";

const charge = { id: "ch_1", status: "authorized", amount: 4900, busy_attempt_id: null } as const;

it.each([
  ["more than was reserved", charge, 4901, "amount_too_large"],
  ["all of it, where what was under way has just ended", charge, 4900, "charge_operation_in_progress"],
  [
    "anything, while something is under way",
    { ...charge, busy_attempt_id: "att_1" },
    4901,
    "charge_operation_in_progress",
  ],
  ["what was taken already", { ...charge, status: "succeeded" } as const, 4901, "charge_not_capturable"],
])("a capture of %s is refused", (_name, now, amount, code) => {
  expect(refuseCapture(now, amount)).toMatchObject({ code });
});
