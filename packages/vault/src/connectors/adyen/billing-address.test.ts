import { describe, expect, it } from "vitest";
import { billingAddressOf } from "./billing-address.ts";

const german = { line1: "Hauptstraße 12", city: "Berlin", postalCode: "10115", country: "DE" };
const american = { line1: "510 Townsend St", city: "San Francisco", state: "CA", postalCode: "94103", country: "US" };

describe("billingAddressOf", () => {
  it.each([
    ["Hauptstraße 12", "Hauptstraße", "12"],
    ["Hauptstraße 12a", "Hauptstraße", "12a"],
    ["Hauptstraße 12 a", "Hauptstraße", "12 a"],
    ["Calle Mayor, 7", "Calle Mayor", "7"],
    ["510 Townsend St", "Townsend St", "510"],
    ["221B Baker Street", "Baker Street", "221B"],
    ["12, rue de la Paix", "rue de la Paix", "12"],
    ["5th Avenue 20", "5th Avenue", "20"],
    ["20 Avenue 5", "20 Avenue 5", "N/A"],
    ["Rose Cottage", "Rose Cottage", "N/A"],
    ["12", "12", "N/A"],
  ])("splits %j into %j and %j", (line1, street, houseNumberOrName) => {
    expect(billingAddressOf({ ...german, line1 })).toEqual({
      street,
      houseNumberOrName,
      city: "Berlin",
      postalCode: "10115",
      country: "DE",
    });
  });

  it("appends the second line to the street", () => {
    expect(billingAddressOf({ ...german, line2: "Hinterhaus" })?.street).toBe("Hauptstraße, Hinterhaus");
    expect(billingAddressOf({ ...german, line2: "" })?.street).toBe("Hauptstraße");
  });

  it("sends the state, and five digits of a US postal code", () => {
    const address = billingAddressOf({ ...american, postalCode: "94103-1234" });
    expect(address).toMatchObject({ stateOrProvince: "CA", postalCode: "94103" });
  });

  it("leaves out a state that's too long, outside the US and Canada", () => {
    const address = billingAddressOf({ ...german, state: "Berlin" });
    expect(address).not.toBeNull();
    expect(address).not.toHaveProperty("stateOrProvince");
  });

  it.each([
    ["without a US state", { ...american, state: "" }],
    ["with a long Canadian state", { ...american, country: "CA", postalCode: "M5V 2T6", state: "Ontario" }],
    ["with a long postal code", { ...german, postalCode: "10115-10115" }],
    ["without a postal code", { ...german, postalCode: "" }],
    ["without a city", { ...german, city: "" }],
    ["without a street", { ...german, line1: "" }],
  ])("leaves out an address %s", (_name, address) => {
    expect(billingAddressOf(address)).toBeNull();
  });
});
