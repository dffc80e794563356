import { describe, expect, it } from "vitest";
import { reasonOrNull } from "./fields.ts";

describe("reasonOrNull", () => {
  it.each(["Refused", "05 : Do not honor", "N7 : FRAUD", "Insufficient balance on payment 20261127"])(
    "keeps %j",
    (reason) => {
      expect(reasonOrNull(reason)).toBe(reason);
    },
  );

  it.each([
    "4242424242424242",
    "card 4242 4242 4242 4242 refused",
    "card 4242-4242-4242-4242",
    "000000:4242:12/2030",
    "4242:3/30",
    "Expired card 12/2030",
    "card 4242.4242.4242.4242",
    "card 4242/4242/4242/4242",
    "card 4242  4242  4242  4242",
    "card 4242\u00a04242\u00a04242\u00a04242",
    "",
    "a\0b",
    "x".repeat(257),
    null,
    5,
  ])("drops %j", (reason) => {
    expect(reasonOrNull(reason)).toBeNull();
  });
});
