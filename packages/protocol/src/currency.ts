/**
 * Currencies and their number of decimals.
 *
 * An amount is always an integer in the currency's smallest unit, next to a lower-case ISO 4217 code: `{ amount: 1000,
 * currency: "eur" }` is €10.00, `{ amount: 1000, currency: "jpy" }` is ¥1,000. The decimals come from this table and
 * never from `Intl`. ICU describes how people write prices and differs from ISO 4217 for 16 currencies (it gives HUF no
 * decimals, for example), so using it would make amounts wrong by a factor of 100. Source: ISO 4217 list one, without
 * metals, test codes and bond units (XAU, XTS, XBA...).
 */

const withoutDecimals = "bif clp djf gnf isk jpy kmf krw pyg rwf ugx uyi vnd vuv xaf xof xpf";
const withTwoDecimals =
  "aed afn all amd aoa ars aud awg azn bam bbd bdt bmd bnd bob bov brl bsd btn bwp byn bzd cad cdf che chf chw cny cop cou crc cup cve czk " +
  "dkk dop dzd egp ern etb eur fjd fkp gbp gel ghs gip gmd gtq gyd hkd hnl htg huf idr ils inr irr jmd kes kgs khr kpw kyd kzt lak lbp lkr " +
  "lrd lsl mad mdl mga mkd mmk mnt mop mru mur mvr mwk mxn mxv myr mzn nad ngn nio nok npr nzd pab pen pgk php pkr pln qar ron rsd rub sar " +
  "sbd scr sdg sek sgd shp sle sos srd ssp stn svc syp szl thb tjs tmt top try ttd twd tzs uah usd usn uyu uzs ved ves wst xad xcd xcg yer " +
  "zar zmw zwg";
const withThreeDecimals = "bhd iqd jod kwd lyd omr tnd";
const withFourDecimals = "clf uyw";

/** The largest amount accepted, in the smallest unit. It has 12 digits, like the amount field of ISO 8583. */
export const maxAmountMinor = 999_999_999_999;

/** Whether `code` is a lower-case ISO 4217 code that Oriel supports. */
export function isCurrency(code: string): boolean {
  if (!/^[a-z]{3}$/.test(code)) return false;
  return [withoutDecimals, withTwoDecimals, withThreeDecimals, withFourDecimals].some((codes) => codes.includes(code));
}

/** The currencies with this number of decimals. Together, the lists contain every currency once. */
export function currenciesWithDecimals(decimals: 0 | 2 | 3 | 4): string[] {
  return { 0: withoutDecimals, 2: withTwoDecimals, 3: withThreeDecimals, 4: withFourDecimals }[decimals].split(" ");
}

/**
 * The number of decimals of a currency: 2 for `"eur"`, 0 for `"jpy"`, 3 for `"kwd"`.
 *
 * @throws RangeError for a code that {@link isCurrency} refuses.
 */
export function currencyExponent(code: string): number {
  if (!isCurrency(code)) throw new RangeError(`Unknown currency "${code}"`);
  return decimalsOf(code);
}

/**
 * Formats an amount for a locale, with exactly the decimals that ISO 4217 defines. It doesn't check the currency, so
 * that pages that only show amounts needn't bundle the whole list. Check it with {@link isCurrency} on the server.
 *
 * @example formatAmount(4900, "eur", "en") // "€49.00"
 */
export function formatAmount(amountMinor: number, currency: string, locale: string): string {
  const exponent = decimalsOf(currency);
  return new Intl.NumberFormat(locale, {
    style: "currency",
    currency,
    minimumFractionDigits: exponent,
    maximumFractionDigits: exponent,
  }).format(amountMinor / 10 ** exponent);
}

/** The code must be a supported currency. */
function decimalsOf(code: string): number {
  if (withoutDecimals.includes(code)) return 0;
  if (withThreeDecimals.includes(code)) return 3;
  return withFourDecimals.includes(code) ? 4 : 2;
}
