/**
 * Puts what varies into a sentence. It goes in as text, once: braces in a merchant's name mean nothing.
 *
 * @example fill("Pay {amount}", { amount: "€49.00" }) // "Pay €49.00"
 */
import type { Plural } from "./texts.ts";

export type Filling = "merchant" | "amount" | "time" | "count" | "outcome";

export function fill(sentence: string, values: Partial<Record<Filling, string>>): string {
  // A name in braces that has no value stays as it stands; a test asks every language for the names that English has.
  return sentence.replace(/\{(\w+)\}/g, (whole, name: Filling) => values[name] ?? whole);
}

/** The sentence for that many, in the plural that the language has for it. */
export function fillCount(forms: Plural, count: number, locale: string): string {
  const sentence = forms[new Intl.PluralRules(locale).select(count)] ?? forms.other;
  return fill(sentence, { count: new Intl.NumberFormat(locale).format(count) });
}
