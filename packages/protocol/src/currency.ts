/**
 * Currencies and the number of decimals of their smallest unit.
 *
 * An amount is always an integer in that smallest unit with a lower-case ISO 4217 code beside it: `{ amount: 1000,
 * currency: "eur" }` is 10.00 EUR, `{ amount: 1000, currency: "jpy" }` is 1,000 JPY. The exponents are a table here and
 * never asked of `Intl`: ICU describes how people write prices and disagrees with ISO 4217 on sixteen currencies (it
 * gives HUF no decimals, for one), which would be a silent factor of 100. Source: ISO 4217 list one; metals, funds for
 * testing and bond units (XAU, XTS, XBA...) are left out on purpose.
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

/** Largest amount accepted, in the smallest unit: twelve digits, what the ISO 8583 amount field holds. */
export const maxAmountMinor = 999_999_999_999;

/** Says whether `code` is a lower-case ISO 4217 code that Oriel can charge in. */
export function isCurrency(code: string): boolean {
  if (!/^[a-z]{3}$/.test(code)) return false;
  return [withoutDecimals, withTwoDecimals, withThreeDecimals, withFourDecimals].some((codes) => codes.includes(code));
}

/**
 * Number of decimals of a currency's smallest unit: 2 for `"eur"`, 0 for `"jpy"`, 3 for `"kwd"`.
 *
 * @throws RangeError for a code that {@link isCurrency} refuses.
 */
export function currencyExponent(code: string): number {
  if (!isCurrency(code)) throw new RangeError(`Unknown currency "${code}"`);
  return decimalsOf(code);
}

/**
 * Writes an amount as a person of `locale` would, with exactly the decimals ISO 4217 gives the currency. It takes the
 * code's word for being one of ours: whoever made the session asked {@link isCurrency}, and a page that only shows an
 * amount need not carry the whole list.
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

/** Of a currency that is known to be one. */
function decimalsOf(code: string): number {
  if (withoutDecimals.includes(code)) return 0;
  if (withThreeDecimals.includes(code)) return 3;
  return withFourDecimals.includes(code) ? 4 : 2;
}
