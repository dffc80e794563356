/**
 * Shows what is wrong with a field, once: beside it, tied to it by `aria-describedby`.
 *
 * Two moments. On blur the focus is already elsewhere, so the polite live region says it. On Pay the focus goes to the first field that is
 * wrong, and a screen reader reads the description there; saying it in the live region too would be twice.
 */
import { checkField, fieldNames } from "./check-card.ts";
import type { FieldName, TypedCard } from "./check-card.ts";
import type { Page } from "./page.ts";
import { problems as texts } from "./text.ts";
import type { Problem } from "./text.ts";

export interface FieldErrors {
  show(problems: Partial<Record<FieldName, Problem>>): void;
  clear(): void;
}

export function bindFieldErrors(page: Page, now: () => number): FieldErrors {
  const typed = (): TypedCard => ({ number: page.number.value, expiry: page.expiry.value, cvc: page.cvc.value });
  // Pressing Pay blurs a field first. An error that appeared then would push the button out from under the finger: Pay itself will tell.
  let pressingPay = false;
  page.form.addEventListener("pointerdown", (event) => {
    pressingPay = event.target instanceof Node && page.pay.contains(event.target);
  });

  for (const name of fieldNames) {
    const input = page[name];
    input.addEventListener("blur", () => {
      if (pressingPay || input.value === "" || input.readOnly) return;
      const problem = checkField(name, typed(), now());
      if (problem && !isMarked(input)) page.live.textContent = texts[problem];
      mark(page, name, problem);
    });
    input.addEventListener("input", () => {
      // An error goes as soon as it is mended; a new one waits until the field is left.
      if (isMarked(input) && checkField(name, typed(), now()) === null) mark(page, name, null);
    });
  }
  return {
    show(problems) {
      pressingPay = false;
      for (const name of fieldNames) mark(page, name, problems[name] ?? null);
      const first = fieldNames.find((name) => problems[name]);
      if (first) page[first].focus();
    },
    clear() {
      for (const name of fieldNames) mark(page, name, null);
    },
  };
}

function mark(page: Page, name: FieldName, problem: Problem | null): void {
  const error = page.document.getElementById(`${name}-error`);
  if (error) error.textContent = problem ? texts[problem] : "";
  if (problem) page[name].setAttribute("aria-invalid", "true");
  else page[name].removeAttribute("aria-invalid");
}

function isMarked(input: HTMLInputElement): boolean {
  return input.hasAttribute("aria-invalid");
}
