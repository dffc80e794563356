import { describe, expect, it } from "vitest";
import { currenciesWithDecimals, maxAmountMinor } from "@oriel/protocol/currency";
import { fromAdyenAmount, toAdyenAmount } from "./amounts.ts";

/** Adyen's number of decimals for each currency of ours that it publishes. */
const published: Record<string, number> = Object.fromEntries(
  (
    "AED2 ALL2 AMD2 AOA2 ARS2 AUD2 AWG2 AZN2 BAM2 BBD2 BDT2 BHD3 BMD2 BND2 BOB2 BRL2 BSD2 BWP2 BYN2 BZD2 CAD2 CHF2 CLP2 " +
    "CNY2 COP2 CRC2 CUP2 CVE0 CZK2 DJF0 DKK2 DOP2 DZD2 EGP2 ETB2 EUR2 FJD2 FKP2 GBP2 GEL2 GHS2 GIP2 GMD2 GNF0 GTQ2 GYD2 " +
    "HKD2 HNL2 HTG2 HUF2 IDR0 ILS2 INR2 IQD3 ISK2 JMD2 JOD3 JPY0 KES2 KGS2 KHR2 KMF0 KRW0 KWD3 KYD2 KZT2 LAK2 LBP2 LKR2 " +
    "LYD3 MAD2 MDL2 MKD2 MMK2 MNT2 MOP2 MUR2 MVR2 MWK2 MXN2 MYR2 MZN2 NAD2 NGN2 NIO2 NOK2 NPR2 NZD2 OMR3 PAB2 PEN2 PGK2 " +
    "PHP2 PKR2 PLN2 PYG0 QAR2 RON2 RSD2 RUB2 RWF0 SAR2 SBD2 SCR2 SEK2 SGD2 SHP2 SLE2 SOS2 SRD2 STN2 SVC2 SZL2 THB2 TND3 " +
    "TOP2 TRY2 TTD2 TWD2 TZS2 UAH2 UGX0 USD2 UYU2 UZS2 VND0 VUV0 WST2 XAF0 XCD2 XOF0 XPF0 YER2 ZAR2 ZMW2"
  )
    .split(" ")
    .map((entry) => [entry.slice(0, 3).toLowerCase(), Number(entry[3])]),
);
const refused =
  "afn bif bov btn cdf che chw clf cou ern irr kpw lrd lsl mga mru mxv sdg ssp syp tjs tmt usn uyi uyw ved ves xad xcg zwg".split(
    " ",
  );
const ours = ([0, 2, 3, 4] as const).flatMap((decimals) =>
  currenciesWithDecimals(decimals).map((currency) => ({ currency, decimals })),
);

describe("amounts", () => {
  it("has an expectation for every currency", () => {
    expect([...Object.keys(published), ...refused].sort()).toEqual(ours.map(({ currency }) => currency).sort());
  });

  it.each(ours.filter(({ currency }) => !refused.includes(currency)))(
    "converts 123 units of $currency to Adyen's unit and back",
    ({ currency, decimals }) => {
      const money = { amount: 123 * 10 ** decimals, currency };
      const theirs = { value: 123 * 10 ** (published[currency] ?? NaN), currency: currency.toUpperCase() };
      expect(toAdyenAmount(money)).toEqual(theirs);
      expect(fromAdyenAmount(theirs.value, theirs.currency)).toEqual(money);
    },
  );

  it.each([...refused, "xxx", "ang", "constructor", ""])("refuses %j", (currency) => {
    expect(toAdyenAmount({ amount: 100, currency })).toBeNull();
    expect(fromAdyenAmount(100, currency.toUpperCase())).toBeNull();
  });

  it.each([
    ["idr", 15050, null],
    ["idr", 15000, 150],
    ["cve", 1, null],
    ["cve", 100, 1],
    ["clp", 1, 100],
    ["isk", 1, 100],
    ["eur", 1, 1],
    ["jpy", 1, 1],
    ["eur", 0, 0],
  ])("converts %s %i to %j", (currency, amount, value) => {
    expect(toAdyenAmount({ amount, currency })?.value ?? null).toBe(value);
  });

  it("converts the largest amount exactly", () => {
    expect(toAdyenAmount({ amount: maxAmountMinor, currency: "clp" })?.value).toBe(99_999_999_999_900);
  });

  it.each([
    [101, "ISK"],
    [50, "CLP"],
    [-1, "EUR"],
    [1.5, "EUR"],
    [2 ** 53, "EUR"],
    [2 ** 53 - 1, "IDR"],
    ["100", "EUR"],
    [100, "eur"],
    [100, null],
  ])("refuses to read %j %j", (value, currency) => {
    expect(fromAdyenAmount(value, currency)).toBeNull();
  });

  it("refuses to send a currency in uppercase", () => {
    expect(toAdyenAmount({ amount: 100, currency: "EUR" })).toBeNull();
  });

  it.each([-1, 0.5, NaN, Infinity, 2 ** 53])("refuses to send %j", (amount) => {
    expect(toAdyenAmount({ amount, currency: "eur" })).toBeNull();
  });
});
