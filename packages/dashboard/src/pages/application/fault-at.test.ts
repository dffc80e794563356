import { describe, expect, it } from "vitest";
import { Refusal } from "../../api/refusal.ts";
import { faultAt } from "./fault-at.ts";

const refusal = (code: string, param: string | null) =>
  new Refusal("The service's own sentence.", { code, param, status: 400 });

describe("the sentence beside a refused field of the application", () => {
  it.each([
    ["parameter_missing", "legal_entity", "legal_entity.name", "Legal name is missing."],
    ["parameter_missing", "owners[1].date_of_birth", "owners.1.date_of_birth", "Date of birth is missing."],
    ["parameter_invalid", "legal_entity.name", "legal_entity.name", "Remove any card number or invalid character."],
    ["parameter_invalid", "owners[0].country", "owners.0.country", "Choose a country."],
    ["parameter_invalid", "largest_amount", "largest_amount", /no smaller than the usual payment/],
    ["parameter_invalid", "owners", "owners.0.share_percent", /All shares together can't exceed 100/],
    ["parameter_invalid", "bank_account.iban", "bank_account.iban", /valid IBAN/],
  ])("explains %s of %s at %s, in the page's own words", (code, param, path, sentence) => {
    const fault = faultAt(refusal(code, param));
    expect(Object.keys(fault ?? {})).toEqual([path]);
    expect(fault?.[path]).toMatch(sentence);
  });

  it.each([
    ["no field", "parameter_missing", "documents"],
    ["the request as a whole", "body_malformed", null],
    ["something other than the field's value", "parameter_unknown", "country"],
  ])("is left out if the refusal is about %s", (_about, code, param) => {
    expect(faultAt(refusal(code, param))).toBeNull();
  });
});
