/**
 * Shows a field's error next to it, linked by `aria-describedby`.
 *
 * Errors appear at two moments. On blur, the focus is already elsewhere, so the polite live region announces the error.
 * On Pay, the focus moves to the first invalid field, where a screen reader reads the description; announcing it in the
 * live region too would repeat it.
 */
import { fieldNames } from "@oriel/protocol/frame-settings";
import type { FieldName } from "@oriel/protocol/frame-settings";
import type { Page } from "../page/page.ts";
import type { Problem } from "../texts/texts.ts";
import { checkField } from "./check-form.ts";
import type { Problems } from "./check-form.ts";

export interface FieldErrors {
  /** Marks exactly these fields, and focuses the first one if `mayMove` is true. */
  show(problems: Problems, mayMove: boolean): void;
  clear(): void;
  /** Clears the errors of fields that are valid now. */
  clearFixed(): void;
  /** The errors that are shown now. */
  shown(): Problems;
}

export function bindFieldErrors(page: Page, now: () => number): FieldErrors {
  let shown: Problems = {};
  // Pressing Pay blurs a field first. An error appearing at that moment would push the button away from under the
  // finger, so Pay shows it instead.
  let pressingPay = false;
  page.form.addEventListener("pointerdown", (event) => {
    pressingPay = event.target instanceof Node && page.pay.contains(event.target);
  });

  const mark = (name: FieldName, problem: Problem | null) => {
    const { [name]: _before, ...others } = shown;
    shown = problem ? { ...others, [name]: problem } : others;
    page.words.write(`error ${name}`, (texts) => {
      const error = page.document.getElementById(`${name}-error`);
      if (error) error.textContent = problem ? texts.problems[problem] : "";
    });
    if (problem) page.inputs[name]?.setAttribute("aria-invalid", "true");
    else page.inputs[name]?.removeAttribute("aria-invalid");
  };

  // In the capturing phase, because blur doesn't bubble and fields come and go.
  page.form.addEventListener(
    "blur",
    ({ target }) => {
      const name = fieldOf(page, target);
      const input = name && page.inputs[name];
      if (pressingPay || !input || input.value === "" || input.readOnly) return;
      const problem = checkField(page, name, now());
      if (problem && !shown[name]) page.live.textContent = page.words.texts.problems[problem];
      mark(name, problem);
    },
    true,
  );
  page.form.addEventListener(
    "input",
    ({ target }) => {
      const name = fieldOf(page, target);
      // An error disappears as soon as it is fixed; a new one appears only when the field loses focus.
      if (name && shown[name] && checkField(page, name, now()) === null) mark(name, null);
    },
    true,
  );
  return {
    show(problems, mayMove) {
      pressingPay = false;
      for (const name of fieldNames) mark(name, problems[name] ?? null);
      const first = fieldNames.find((name) => problems[name]);
      if (first && mayMove) page.inputs[first]?.focus();
    },
    clear() {
      for (const name of fieldNames) mark(name, null);
    },
    clearFixed() {
      for (const name of fieldNames) if (shown[name] && checkField(page, name, now()) === null) mark(name, null);
    },
    shown: () => shown,
  };
}

/** The field that an event came from. */
export function fieldOf({ inputs }: Page, target: EventTarget | null): FieldName | undefined {
  return fieldNames.find((name) => inputs[name] !== undefined && inputs[name] === target);
}
