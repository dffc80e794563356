/**
 * Fills in the placeholders of a sentence, as text and only once: braces in a merchant's name mean nothing, and the
 * name keeps its own writing direction.
 *
 * @example fill("Pay {amount}", { amount: "€49.00" }) // "Pay €49.00"
 */
import type { Plural, Texts } from "./texts.ts";

export type Filling = "merchant" | "amount" | "networks" | "time" | "count" | "outcome";

export function fill(sentence: string, values: Partial<Record<Filling, string>>): string {
  return sentence.replace(/\{(\w+)\}/g, (whole, name: Filling) => {
    // A placeholder without a value stays unchanged. A test checks that every language has the same placeholders as
    // English.
    const value = values[name] ?? whole;
    // If either is right-to-left, isolate the name (UAX 9). `isolate.ts` in @oriel/protocol knows more scripts, but is
    // too large for this page.
    return name === "merchant" && /[\u0590-\u08ff]/.test(sentence + value) ? `\u2068${value}\u2069` : value;
  });
}

/**
 * Writes a filled sentence into an element. Browsers that translate the page leave the values as they are, because they
 * could turn them into another shop or amount. Each value keeps its own writing direction.
 */
export function writeFilled(element: Element, sentence: string, values: Partial<Record<Filling, string>>): void {
  const parts = sentence.split(/\{(\w+)\}/).map((part, index) => {
    const isText = index % 2 === 0;
    const value = isText ? undefined : values[part as Filling]; // placeholders are at the odd indexes
    if (value === undefined) return isText ? part : `{${part}}`;
    const isolated = element.ownerDocument.createElement("bdi");
    isolated.setAttribute("translate", "no");
    isolated.textContent = value;
    return isolated;
  });
  element.replaceChildren(...parts);
}

/** Joins sentences, without the missing ones. Chinese and Japanese have no space between them. */
export function joinSentences({ language }: Pick<Texts, "language">, ...sentences: (string | false | null)[]): string {
  return sentences.filter(Boolean).join(/^(ja|zh)/.test(language) ? "" : " ");
}

/** The sentence for a count, in the right plural form of the language. */
export function fillCount(forms: Plural, count: number, locale: string): string {
  const sentence = forms[new Intl.PluralRules(locale).select(count)] ?? forms.other;
  return fill(sentence, { count: new Intl.NumberFormat(locale).format(count) });
}
