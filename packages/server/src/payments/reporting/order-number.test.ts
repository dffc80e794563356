/** Tests which metadata fields count as an order number. */
import { describe, expect, it } from "vitest";
import { orderNumberIn } from "./order-number.ts";

describe("orderNumberIn", () => {
  it.each([
    [{ order: "1234" }, "1234"],
    [{ order_id: "1234" }, "1234"],
    [{ orderId: "1234" }, "1234"],
    [{ "Order number": " 1234 " }, "1234"],
    [{ ORDER_NO: "1234" }, "1234"],
    [{ invoice: "7", order: "1234" }, "1234"],
    [{ order: "a", order_number: "1234" }, "1234"],
    [{ order_id: " ", invoice_id: "7" }, "7"],
  ])("finds it in %j", (metadata, number) => {
    expect(orderNumberIn(metadata)).toBe(number);
  });

  it.each([[{}], [{ reorder: "1234" }], [{ border: "solid" }], [{ order: "" }], [{ orders: "3" }]])(
    "finds none in %j",
    (metadata) => {
      expect(orderNumberIn(metadata)).toBe(null);
    },
  );
});
