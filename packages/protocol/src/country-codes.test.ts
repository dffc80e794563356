import { describe, expect, it } from "vitest";
import { countryCodes, countryNumber } from "./country-codes.ts";

describe("countryNumber", () => {
  it("agrees with Unicode's data for all 249 countries", () => {
    expect(countryCodes).toHaveLength(249);
    for (const code of countryCodes) {
      expect(countryNumber(code)).toMatch(/^\d{3}$/);
      expect({ code, means: new Intl.Locale(`und-${countryNumber(code)}`).region }).toEqual({ code, means: code });
    }
    expect(new Set(countryCodes.map(countryNumber)).size).toBe(249);
  });

  it.each(["de", "UK", "XX", "", "DEU", "276"])("returns undefined for %j", (code) => {
    expect(countryNumber(code)).toBeUndefined();
  });
});
