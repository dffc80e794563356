/**
 * Converts amounts between ISO 4217's smallest unit, which we use, and Adyen's.
 *
 * They differ for four currencies. The list contains the currencies for which Adyen publishes the number of decimals.
 * All others are refused, because a wrong guess would be wrong by a factor of 100. MRU is refused too: Adyen's list
 * changed from MRO with one decimal to MRU with two, and not all of its sources agree on the new one.
 *
 * Sources: https://docs.adyen.com/development-resources/currency-codes and `CheckoutCurrency` in Adyen/adyen-android.
 */
import { currencyExponent, isCurrency } from "@oriel/protocol/currency";
import type { Money } from "../acquirer.ts";
import { fieldsOf } from "../fields.ts";

/** Adyen's `Amount`. The currency is in uppercase. */
export interface AdyenAmount {
  value: number;
  currency: string;
}

const listed = new Set(
  (
    "aed all amd aoa ars aud awg azn bam bbd bdt bhd bmd bnd bob brl bsd bwp byn bzd cad chf clp cny cop crc cup cve czk " +
    "djf dkk dop dzd egp etb eur fjd fkp gbp gel ghs gip gmd gnf gtq gyd hkd hnl htg huf idr ils inr iqd isk jmd jod jpy " +
    "kes kgs khr kmf krw kwd kyd kzt lak lbp lkr lyd mad mdl mkd mmk mnt mop mur mvr mwk mxn myr mzn nad ngn nio nok npr " +
    "nzd omr pab pen pgk php pkr pln pyg qar ron rsd rub rwf sar sbd scr sek sgd shp sle sos srd stn svc szl thb tnd top " +
    "try ttd twd tzs uah ugx usd uyu uzs vnd vuv wst xaf xcd xof xpf yer zar zmw"
  ).split(" "),
);

/** Adyen's number of decimals where it isn't ISO 4217's. */
const differing: ReadonlyMap<string, number> = new Map([
  ["clp", 2],
  ["cve", 0],
  ["idr", 0],
  ["isk", 2],
]);

/** Returns the amount in Adyen's unit, or null if the currency is refused or the amount can't be expressed exactly. */
export function toAdyenAmount({ amount, currency }: Money): AdyenAmount | null {
  const factor = factorOf(currency);
  const value = factor === null ? null : exactly(amount, factor.ours, factor.theirs);
  return value === null ? null : { value, currency: currency.toUpperCase() };
}

/** Reads Adyen's amount. Returns null if the currency is refused or the amount isn't exact in ISO 4217's unit. */
export function fromAdyenAmount(value: unknown, currency: unknown): Money | null {
  if (typeof value !== "number" || typeof currency !== "string" || currency !== currency.toUpperCase()) return null;
  const code = currency.toLowerCase();
  const factor = factorOf(code);
  const amount = factor === null ? null : exactly(value, factor.theirs, factor.ours);
  return amount === null ? null : { amount, currency: code };
}

/** Whether a value from Adyen is the amount that we sent. */
export function isSameAmount(value: unknown, sent: AdyenAmount): boolean {
  const fields = fieldsOf(value);
  return fields["value"] === sent.value && fields["currency"] === sent.currency;
}

/** How many of our and of their smallest units are in one unit of the currency. */
function factorOf(currency: string): { ours: number; theirs: number } | null {
  if (!isCurrency(currency) || !listed.has(currency)) return null;
  const decimals = currencyExponent(currency);
  return { ours: 10 ** decimals, theirs: 10 ** (differing.get(currency) ?? decimals) };
}

function exactly(amount: number, from: number, to: number): number | null {
  const converted = to >= from ? amount * (to / from) : amount / (from / to);
  return Number.isSafeInteger(amount) && Number.isSafeInteger(converted) && amount >= 0 ? converted : null;
}
