/**
 * Says what is wrong with the fields that the customer is asked for: those of the card (`check-card.ts`) and those
 * beside it. A courtesy to the customer: the service checks for itself.
 */
import { fieldNames } from "@oriel/protocol/frame-settings";
import type { FieldName } from "@oriel/protocol/frame-settings";
import { checkCardField } from "./check-card.ts";
import type { Page } from "../page/page.ts";
import type { Problem } from "../texts/texts.ts";

export type Problems = Partial<Record<FieldName, Problem>>;

/** Every field's problem, in the order in which the fields stand on the page. */
export function checkForm(page: Page, nowMs: number): Problems {
  const problems: Problems = {};
  for (const name of fieldNames) {
    const problem = checkField(page, name, nowMs);
    if (problem) problems[name] = problem;
  }
  return problems;
}

/** What is wrong with one field, or null; null too for a field that is not asked for. */
export function checkField({ inputs, typing }: Page, name: FieldName, nowMs: number): Problem | null {
  const typed = inputs[name]?.value.trim();
  if (typed === undefined) return null;
  switch (name) {
    case "number":
    case "expiry":
    case "cvc":
      return checkCardField(name, typing.read(), nowMs);
    case "name":
      return typed === "" ? "nameMissing" : null;
    case "email":
      if (typed === "") return "emailMissing";
      return /^[^\s@]+@[^\s@.]+(\.[^\s@.]+)+$/.test(typed) ? null : "emailWrong";
    case "postalCode":
      return typed === "" ? "postalCodeMissing" : null;
  }
}
