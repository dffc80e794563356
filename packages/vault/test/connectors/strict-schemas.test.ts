import { describe, expect, it } from "vitest";
import { strictSchemas } from "./strict-schemas.ts";

const ref = (name: string) => ({ $ref: `#/components/schemas/${name}` });
const text = { type: "string" };
const schemas = strictSchemas({
  openapi: "3.1.0",
  components: {
    schemas: {
      Payment: {
        type: "object",
        properties: {
          reference: { type: "string", maxLength: 5 },
          amount: ref("Amount"),
          method: { oneOf: [ref("Card"), ref("Wallet")] },
          metadata: { type: "object", additionalProperties: text },
          additionalData: { type: "object", additionalProperties: text, anyOf: [ref("Risk"), ref("Acquirer")] },
          shopper: ref("Shopper"),
        },
        required: ["reference"],
      },
      Amount: { type: "object", properties: { value: { type: "integer" } } },
      Card: { type: "object", properties: { type: { enum: ["scheme"] }, number: text } },
      Wallet: { type: "object", properties: { type: { enum: ["wallet"] }, token: text }, required: ["token"] },
      Risk: { type: "object", properties: { "risk.score": text } },
      Acquirer: { type: "object", properties: { authCode: text } },
      Shopper: { allOf: [ref("Person"), { properties: { email: text } }] },
      Person: { type: "object", properties: { name: text } },
    },
  },
});
const check = (body: unknown) => () => schemas.check("The payment", "/components/schemas/Payment", body);

describe("strict schemas", () => {
  it("accept an object with any of the listed properties", () => {
    expect(
      check({
        reference: "1",
        amount: { value: 1 },
        method: { type: "scheme", number: "4111111111111111" },
        metadata: { anything: "" },
        additionalData: { "risk.score": "1", authCode: "2" },
        shopper: { name: "A", email: "B" },
      }),
    ).not.toThrow();
  });

  it("name every violation by path and keyword", () => {
    expect(check({ reference: "123456", amount: { value: "1" } })).toThrow(
      "The payment doesn't match the published description: /reference (maxLength), /amount/value (type)",
    );
    expect(check({})).toThrow("/reference (required)");
  });

  it("don't repeat a value in an error", () => {
    const card = { type: "wallet", number: "4111111111111111", token: 4111111111111111 };
    expect(check({ reference: "4111111111111111", method: card })).toThrow(/^\D+$/);
  });

  it.each([
    ["at the top", { refrence: "1" }, "/refrence (additionalProperties)"],
    ["in a referenced object", { amount: { val: 1 } }, "/amount/val (additionalProperties)"],
    ["in an object of a oneOf", { method: { type: "scheme", no: "" } }, "/method/no (additionalProperties)"],
    ["in a map with known keys", { additionalData: { authcode: "" } }, "/additionalData/authcode (propertyNames)"],
  ])("refuse an unknown property %s", (_place, body, violation) => {
    expect(check({ reference: "1", ...body })).toThrow(violation);
  });

  it("compare an object in a oneOf only with the schema of its type", () => {
    expect(check({ reference: "1", method: { type: "wallet" } })).toThrow(/description: \/method\/token \(required\)$/);
  });

  it("refuse an object in a oneOf that has no type or an unknown one", () => {
    expect(check({ reference: "1", method: { number: "4111111111111111" } })).toThrow("/method/type (required)");
    expect(check({ reference: "1", method: { type: "card" } })).toThrow("/method (discriminator)");
  });
});
