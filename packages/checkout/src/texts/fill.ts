/**
 * Puts what varies into a sentence. It goes in as text, once: braces in a merchant's name mean nothing, and its
 * direction of writing stays its own.
 *
 * @example fill("Pay {amount}", { amount: "€49.00" }) // "Pay €49.00"
 */
import type { Plural } from "./texts.ts";

export type Filling = "merchant" | "amount" | "time" | "count" | "outcome";

export function fill(sentence: string, values: Partial<Record<Filling, string>>): string {
  return sentence.replace(/\{(\w+)\}/g, (whole, name: Filling) => {
    // A name in braces that has no value stays as it stands; a test asks every language for the names that English has.
    const value = values[name] ?? whole;
    // Where one of them runs from right to left, an isolate (UAX 9). `isolate.ts` in the protocol knows more scripts,
    // and is too heavy for this page.
    return name === "merchant" && /[\u0590-\u08ff]/.test(sentence + value) ? `\u2068${value}\u2069` : value;
  });
}

/** The sentence for that many, in the plural that the language has for it. */
export function fillCount(forms: Plural, count: number, locale: string): string {
  const sentence = forms[new Intl.PluralRules(locale).select(count)] ?? forms.other;
  return fill(sentence, { count: new Intl.NumberFormat(locale).format(count) });
}
