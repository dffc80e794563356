import { describe, expect, it } from "vitest";
import { changeOf, checkLimit, describePolicy, valuesOf, type NewCustomers } from "./new-customers-form.ts";

const setting: NewCustomers = {
  applies: true,
  policy: null,
  bucket_size: 40,
  tokens: 12,
  default: { policy: "tokens", bucket_size: 40 },
};

describe("the form for new customers", () => {
  it("starts with the operator's default or with the merchant's own policy", () => {
    expect(valuesOf(setting)).toEqual({ policy: "tokens", bucket_size: "40" });
    expect(valuesOf({ ...setting, policy: "never_challenge" })).toEqual({
      policy: "never_challenge",
      bucket_size: "40",
    });
  });

  it.each(["1", "40", " 10000 "])("accepts the limit %j", (text) => {
    expect(checkLimit(text, { policy: "tokens", bucket_size: text })).toBeNull();
  });

  it.each(["", "0", "-1", "10001", "1.5", "1e3", "1,000", "forty", "999999999"])("refuses the limit %j", (text) => {
    expect(checkLimit(text, { policy: "tokens", bucket_size: text })).toBe("Enter a whole number from 1 to 10,000.");
  });

  it("checks and sends the limit only with the policy that has one", () => {
    expect(checkLimit("forty", { policy: "always_challenge", bucket_size: "forty" })).toBeNull();
    expect(changeOf({ policy: "always_challenge", bucket_size: "forty" }, setting)).toEqual({
      policy: "always_challenge",
      bucket_size: 40,
    });
    expect(changeOf({ policy: "tokens", bucket_size: " 1000 " }, setting)).toEqual({
      policy: "tokens",
      bucket_size: 1000,
    });
  });

  it("names a policy with its limit", () => {
    expect(describePolicy({ policy: "tokens", bucket_size: 1000 })).toBe("Limit payments without a challenge (1,000)");
    expect(describePolicy({ policy: "never_challenge", bucket_size: 1000 })).toBe("Don't require a challenge");
  });
});
