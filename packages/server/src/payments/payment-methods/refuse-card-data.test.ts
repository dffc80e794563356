import { describe, expect, it } from "vitest";
import { ApiError } from "../../platform/errors.ts";
import { refuseCardData } from "./refuse-card-data.ts";

describe("refuseCardData", () => {
  it.each([
    undefined,
    {},
    { name: "Ada Vance", email: "ada1985@customer.example", postal_code: "04109", country: "DE" },
    { name: "Henry VIII of 1509" },
    { name: "Zoë Łukasz-Åse 2nd", postal_code: "12345-6789" },
    { name: "佐藤 花子", postal_code: "〒100-0001" },
    { email: "13812345678@139.com", postal_code: "100000" },
    { email: "a@b" },
    { email: "8613812345678@139.com" },
    { email: "1700000000000@mail.example", name: "Ada Vance 2nd" },
    { email: "user.20261124093015123@mail.example" },
    { email: "4242424242424241@mail.example" }, // wrong check digit
    { postal_code: "1234567890" },
  ])("accepts details that can't contain a card number: %j", (details) => {
    expect(() => refuseCardData(details)).not.toThrow();
  });

  const number = "400000123456";
  it.each<[string, object]>([
    ["name", { name: number }],
    ["name", { name: "4000.0012.3456.7899" }],
    ["name", { name: "4000  0012  3456  7899" }],
    ["name", { name: "4000\u00a00012\u200b3456" }],
    ["name", { name: "４０００００１２３４５６" }], // full-width
    ["name", { name: "٤٠٠٠٠٠١٢٣٤٥٦" }], // Arabic
    ["name", { name: "𝟒𝟎𝟎𝟎𝟎𝟎" }], // mathematical
    ["name", { name: "④⁰❶❶❶" }],
    ["name", { name: "12345", email: "a@b" }],
    ["email", { email: "4242424242424242@b" }],
    ["email", { email: "4242 4242 4242 4242 12/30 123" }],
    ["email", { email: `${"x".repeat(99)}4.2.4.2.4.2.4.2.4.2.4.2.4.2.4.2@b` }],
    ["email", { email: "a@4242424242424242.example" }],
    ["email", { email: "４２４２４２４２４２４２４２４２@b" }],
    ["email", { name: "4242", email: "424242424242@b" }],
    ["email", { email: "378282246310005@b" }],
    ["postal_code", { postal_code: "4000 0012 345" }],
    ["postal_code", { name: "4000", postal_code: "00123456" }],
  ])("refuses a possible card number in %s without repeating it: %j", (field, details) => {
    const refusal = refusalOf(details);
    expect(refusal).toMatchObject({ code: "parameter_invalid", details: { param: `billing_details.${field}` } });
    expect(refusal?.message).not.toMatch(/\p{N}/u);
  });
});

function refusalOf(details: object): ApiError | null {
  try {
    refuseCardData(details);
    return null;
  } catch (error) {
    if (error instanceof ApiError) return error;
    throw error;
  }
}
