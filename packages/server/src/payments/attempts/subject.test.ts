import { expect, it } from "vitest";
import { present } from "./subject.ts";

const attempt = { id: "att_1" };

it("returns the values that an attempt has", () => {
  expect(present(attempt, { charge_id: "ch_1", charge_amount: 0 })).toEqual({ charge_id: "ch_1", charge_amount: 0 });
});

it("refuses an attempt of another kind and names what is missing", () => {
  expect(() => present(attempt, { charge_id: "ch_1", refund_id: null })).toThrow("Bug: attempt att_1 lacks refund_id");
});
