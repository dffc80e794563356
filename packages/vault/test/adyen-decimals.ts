/**
 * Adyen's number of decimals for each currency of ours, copied from Adyen's list and independent of the connector. Null:
 * Adyen doesn't publish it, or its sources disagree, so the connector refuses the currency.
 *
 * Source: https://docs.adyen.com/development-resources/currency-codes
 */
const published =
  "AED2 ALL2 AMD2 AOA2 ARS2 AUD2 AWG2 AZN2 BAM2 BBD2 BDT2 BHD3 BMD2 BND2 BOB2 BRL2 BSD2 BWP2 BYN2 BZD2 CAD2 CHF2 CLP2 " +
  "CNY2 COP2 CRC2 CUP2 CVE0 CZK2 DJF0 DKK2 DOP2 DZD2 EGP2 ETB2 EUR2 FJD2 FKP2 GBP2 GEL2 GHS2 GIP2 GMD2 GNF0 GTQ2 GYD2 " +
  "HKD2 HNL2 HTG2 HUF2 IDR0 ILS2 INR2 IQD3 ISK2 JMD2 JOD3 JPY0 KES2 KGS2 KHR2 KMF0 KRW0 KWD3 KYD2 KZT2 LAK2 LBP2 LKR2 " +
  "LYD3 MAD2 MDL2 MKD2 MMK2 MNT2 MOP2 MUR2 MVR2 MWK2 MXN2 MYR2 MZN2 NAD2 NGN2 NIO2 NOK2 NPR2 NZD2 OMR3 PAB2 PEN2 PGK2 " +
  "PHP2 PKR2 PLN2 PYG0 QAR2 RON2 RSD2 RUB2 RWF0 SAR2 SBD2 SCR2 SEK2 SGD2 SHP2 SLE2 SOS2 SRD2 STN2 SVC2 SZL2 THB2 TND3 " +
  "TOP2 TRY2 TTD2 TWD2 TZS2 UAH2 UGX0 USD2 UYU2 UZS2 VND0 VUV0 WST2 XAF0 XCD2 XOF0 XPF0 YER2 ZAR2 ZMW2";
const unpublished =
  "AFN BIF BOV BTN CDF CHE CHW CLF COU ERN IRR KPW LRD LSL MGA MRU MXV SDG SSP SYP TJS TMT USN UYI UYW VED VES XAD XCG ZWG";

export const adyenDecimals: Readonly<Record<string, number | null>> = Object.fromEntries([
  ...published.split(" ").map((entry) => [entry.slice(0, 3).toLowerCase(), Number(entry[3])] as const),
  ...unpublished.split(" ").map((code) => [code.toLowerCase(), null] as const),
]);
