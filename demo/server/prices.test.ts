/** Tests what an order costs with each shipping option and voucher. */
import { expect, test } from "vitest";
import { billFor, decideOnCode, priceParts } from "./prices.ts";

const now = new Date("2026-01-01");

/** The total of a session whose customer has entered a code and chosen shipping. */
function totalWith(code: string, shipping_option: string): number | undefined {
  const decision = decideOnCode(code, now);
  return "reject" in decision ? undefined : billFor({ shipping_option, discounts: decision.discounts })?.total;
}

test.each([
  ["KILN5", "standard", 4400],
  ["KILN5", "express", 5390],
  ["FREECUP", "standard", 0],
  ["FREECUP", "express", 0],
])("with %s and %s shipping, the total is %i", (code, shipping, total) => {
  expect(totalWith(code, shipping)).toBe(total);
});

test("a code may be typed in lower case, and the discount has the voucher's own name", () => {
  expect(decideOnCode("kiln5", now)).toMatchObject({ discounts: [{ name: "KILN5", amount: 500 }] });
});

test("an earlier voucher's free shipping ends with the next voucher", () => {
  expect(decideOnCode("KILN5", now)).toMatchObject({ shipping_options: priceParts(null).shipping_options });
});

test("a voucher can be used until its date, and orders that have it keep it", () => {
  const discounts = [{ name: "SPRING", amount: 500 }];
  expect(decideOnCode("SPRING", new Date("2025-05-31"))).toMatchObject({ discounts });
  expect(decideOnCode("SPRING", now)).toEqual({ reject: { field: "promotion_code", reason: "expired" } });
  expect(billFor({ shipping_option: "standard", discounts })?.total).toBe(4400);
});

test.each(["", "KILN", "KILN55", "__proto__"])("the code %j doesn't exist", (code) => {
  expect(decideOnCode(code, now)).toEqual({ reject: { field: "promotion_code", reason: "invalid" } });
});
