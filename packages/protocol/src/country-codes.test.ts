import { describe, expect, it } from "vitest";
import { countryCodes, countryNumber } from "./country-codes.ts";

describe("a country's number", () => {
  it("is what Unicode's data, too, takes for that country, for all 249 of them", () => {
    expect(countryCodes).toHaveLength(249);
    for (const code of countryCodes) {
      expect(countryNumber(code)).toMatch(/^\d{3}$/);
      expect({ code, means: new Intl.Locale(`und-${countryNumber(code)}`).region }).toEqual({ code, means: code });
    }
    expect(new Set(countryCodes.map(countryNumber)).size).toBe(249);
  });

  it.each(["de", "UK", "XX", "", "DEU", "276"])("is not there for %j", (code) => {
    expect(countryNumber(code)).toBeUndefined();
  });
});
