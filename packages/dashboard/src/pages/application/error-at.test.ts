import { describe, expect, it } from "vitest";
import { RequestError } from "../../api/api-error.ts";
import { errorAt } from "./error-at.ts";

const refusal = (code: string, param: string | null) =>
  new RequestError("The service's own sentence.", { code, param, status: 400 });

describe("faultAt", () => {
  it.each([
    ["parameter_missing", "legal_entity", "legal_entity.name", "Legal name is required."],
    ["parameter_missing", "owners[1].date_of_birth", "owners.1.date_of_birth", "Date of birth is required."],
    ["parameter_invalid", "legal_entity.name", "legal_entity.name", "Remove any card number or invalid character."],
    ["parameter_invalid", "owners[0].country", "owners.0.country", "Choose a country."],
    ["parameter_invalid", "largest_amount", "largest_amount", /no smaller than the average payment/],
    ["parameter_invalid", "owners", "owners.0.share_percent", /can't add up to more than 100/],
    ["parameter_invalid", "bank_account.iban", "bank_account.iban", /valid IBAN/],
  ])("explains %s for %s at the field %s", (code, param, path, sentence) => {
    const fault = errorAt(refusal(code, param));
    expect(Object.keys(fault ?? {})).toEqual([path]);
    expect(fault?.[path]).toMatch(sentence);
  });

  it.each([
    ["no field", "parameter_missing", "documents"],
    ["the request as a whole", "body_malformed", null],
    ["something other than the field's value", "parameter_unknown", "country"],
  ])("returns null for an error about %s", (_about, code, param) => {
    expect(errorAt(refusal(code, param))).toBeNull();
  });
});
