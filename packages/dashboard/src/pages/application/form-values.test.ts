import { describe, expect, it } from "vitest";
import type { MerchantDetails } from "@oriel/protocol/dashboard/underwriting";
import { draftOf, faultsOf, fieldOf, gapsOf, noBank, valuesOf } from "./form-values.ts";

const whole: MerchantDetails = {
  legal_entity: {
    name: "Cup & Saucer GmbH",
    form: "GmbH",
    registration_number: "HRB 1",
    address: "Road 1\n10115 Berlin",
  },
  country: "DE",
  website: "https://cups.example",
  mcc: "5999",
  business: "Cups",
  expected_monthly_volume: { amount: 1_250_050, currency: "eur" },
  average_amount: 3900,
  largest_amount: 20_000,
  owners: [{ name: "Robin", date_of_birth: "1980-12-31", share_percent: 33.33, country: "DE" }],
};
const bank = { ...noBank, holder_name: "Cup & Saucer GmbH", iban: "DE89 3704 0044 0532 0130 00" };

describe("the values of the application form", () => {
  it("convert back into the same application", () => {
    expect(draftOf(valuesOf(whole))).toEqual(whole);
  });

  it("leave out empty fields", () => {
    expect(draftOf(valuesOf({}))).toEqual({ owners: [] });
    expect(faultsOf(valuesOf({}))).toEqual({});
  });

  it("parse amounts with their currency's decimals", () => {
    const values = valuesOf({ ...whole, expected_monthly_volume: { amount: 500_000, currency: "jpy" } });
    expect(values.expected_monthly_volume.amount).toBe("500000");
    expect(draftOf({ ...values, average_amount: "39" }).average_amount).toBe(39);
    expect(faultsOf({ ...values, average_amount: "39.5" })).toHaveProperty("average_amount");
  });

  it("leave out a saved bank account and include a newly entered one", () => {
    const saved = valuesOf({ ...whole, bank_account: { holder_name: "Robin", kind: "iban", last4: "3000" } });
    expect(saved.bank_account.kind).toBe("saved");
    expect(draftOf(saved)).not.toHaveProperty("bank_account");
    expect(gapsOf(saved)).toEqual({});
    expect(draftOf({ ...saved, bank_account: bank }).bank_account).toEqual({
      holder_name: bank.holder_name,
      iban: bank.iban,
    });
  });

  it("include only the selected type of bank account", () => {
    const values = {
      ...valuesOf(whole),
      bank_account: {
        ...bank,
        kind: "account_number" as const,
        account_number: "12345678",
        routing_number: "123456789",
      },
    };
    expect(draftOf(values).bank_account).toEqual({
      holder_name: bank.holder_name,
      account_number: "12345678",
      routing_number: "123456789",
    });
  });

  it.each([
    ["website", { website: "http://cups.example" }],
    ["website", { website: "cups.example" }],
    ["mcc", { mcc: "599" }],
    ["average_amount", { average_amount: "about 40" }],
    ["expected_monthly_volume.amount", { expected_monthly_volume: { amount: "", currency: "eur" } }],
    ["owners.0.share_percent", { owners: [{ name: "", date_of_birth: "", share_percent: "101", country: "" }] }],
    ["owners.0.date_of_birth", { owners: [{ name: "", date_of_birth: "1880-01-01", share_percent: "", country: "" }] }],
    ["bank_account.iban", { bank_account: { ...noBank, holder_name: "Robin" } }],
  ])("report an invalid %s before sending: %j", (path, change) => {
    expect(faultsOf(valuesOf(whole))).toEqual({});
    expect(Object.keys(faultsOf({ ...valuesOf(whole), ...change }))).toEqual([path]);
  });

  it("report all missing fields at once, by their labels", () => {
    const gaps = gapsOf(valuesOf({ country: "DE" }));
    expect(gaps).not.toHaveProperty("country");
    expect(gaps["legal_entity.registration_number"]).toBe("Registration number is required.");
    expect(gaps["owners.0.date_of_birth"]).toBe("Date of birth is required.");
    expect(gaps["bank_account.iban"]).toBe("IBAN is required.");
    expect(gapsOf({ ...valuesOf(whole), bank_account: bank })).toEqual({});
  });

  it.each([
    ["owners[1].date_of_birth", "owners.1.date_of_birth"],
    ["legal_entity.name", "legal_entity.name"],
    ["legal_entity", "legal_entity.name"],
    ["owners", "owners.0.share_percent"],
  ])("map the service's parameter %s to the field %s", (param, path) => {
    expect(fieldOf(param)).toBe(path);
  });
});
