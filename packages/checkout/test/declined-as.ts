/** The English sentence for a decline with this reason. */
import en from "../src/texts/en.ts";
import { fill } from "../src/texts/fill.ts";
import type { AfterTexts, Occasion } from "../src/texts/texts.ts";

export function declinedAs(reason: keyof AfterTexts["declined"], occasion: Occasion = "paying"): string {
  return fill(en.after.declined[reason], { outcome: en.form.outcomes[occasion] });
}
