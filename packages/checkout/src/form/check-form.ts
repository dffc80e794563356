/**
 * Checks the fields that are shown: the card's (`check-card.ts`) and the billing fields. This only helps the customer:
 * the service does its own checks.
 */
import { fieldNames } from "@oriel/protocol/frame-settings";
import type { FieldName } from "@oriel/protocol/frame-settings";
import type { Page } from "../page/page.ts";
import type { Problem } from "../texts/texts.ts";
import { checkCardField } from "./check-card.ts";

export type Problems = Partial<Record<FieldName, Problem>>;

/** Every field's problem, in the order of the fields on the page. */
export function checkForm(page: Page, nowMs: number): Problems {
  const problems: Problems = {};
  for (const name of fieldNames) {
    const problem = checkField(page, name, nowMs);
    if (problem) problems[name] = problem;
  }
  return problems;
}

/** Returns the field's problem, or null. Fields that aren't shown have no problem. */
export function checkField(
  { inputs, refused, typing, needsCard }: Page,
  name: FieldName,
  nowMs: number,
): Problem | null {
  const typed = inputs[name]?.value.trim();
  if (typed === undefined || !needsCard) return null;
  const isRefused = name === refused;
  switch (name) {
    case "number":
    case "expiry":
    case "cvc":
      return checkCardField(name, typing.read(), nowMs);
    case "name":
      return typed === "" ? "nameMissing" : isRefused ? "nameWrong" : null;
    case "email":
      if (typed === "") return "emailMissing";
      return /^[^\s@]+@[^\s@.]+(\.[^\s@.]+)+$/.test(typed) && !isRefused ? null : "emailWrong";
    case "postalCode":
      return typed === "" ? "postalCodeMissing" : isRefused ? "postalCodeWrong" : null;
  }
}
