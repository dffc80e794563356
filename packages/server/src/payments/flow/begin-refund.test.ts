import { expect, it } from "vitest";
import { refuseRefund } from "./begin-refund.ts";

const charge = {
  id: "ch_1",
  status: "succeeded",
  amount_captured: 4900,
  amount_refunded: 1000,
  amount_refunding: 900,
} as const;
const spent = { ...charge, amount_refunding: 3900 };
const reserved = { ...charge, status: "authorized" } as const;

it.each([
  ["more than is left", charge, 3001, "amount_too_large", "Of the charge ch_1 3000 can"],
  ["what is left, where another refund has just failed", charge, 3000, "charge_operation_in_progress", "Another"],
  ["a charge of which nothing is left", spent, 1, "charge_not_refundable", "All of the charge ch_1 is refunded"],
  [
    "a charge that took no money",
    reserved,
    1,
    "charge_not_refundable",
    "The charge ch_1 is authorized: no money was taken",
  ],
])("a refund of %s is refused", (_name, now, amount, code, sentence) => {
  const refusal = refuseRefund(now, amount);
  expect(refusal).toMatchObject({ code });
  expect(refusal.message).toContain(sentence);
});
