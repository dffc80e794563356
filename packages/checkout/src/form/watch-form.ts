/**
 * Watches the form for the host page, and carries out what the host page may request: focus, blur, clear and validate.
 *
 * The host page learns whether Pay would be accepted, whether all fields are empty, the card's brand or networks, and
 * the errors of fields that the customer has left or tried to pay with, but never what was typed. Changes are reported
 * every half second (`host/report-interval.ts`) and only if something differs, so that neither single keys nor their
 * timing can be observed from outside.
 *
 * Only the customer can move the focus out of a card field. Otherwise the host page could make the next digits end up
 * in another field, in clear text.
 */
import { cardBrand } from "@oriel/protocol/card";
import { fieldNames } from "@oriel/protocol/frame-settings";
import type { FieldProblem, FrameEvents, Validation } from "@oriel/protocol/windows";
import { atNextReport } from "../host/report-interval.ts";
import type { Page } from "../page/page.ts";
import type { Problem } from "../texts/texts.ts";
import { billingFieldName } from "./billing-details.ts";
import type { NetworkChoice } from "./card-fields/network-choice.ts";
import { checkForm } from "./check-form.ts";
import type { Problems } from "./check-form.ts";
import { bindFieldErrors, fieldOf } from "./field-errors.ts";

export interface FormWatch {
  /**
   * Checks all fields, shows their errors and focuses the first invalid one. For the host page, the focus doesn't leave
   * a card field.
   */
  validate(by: "customer" | "host"): Validation;
  /** Focuses a field, or without a name the first one that needs attention. The focus doesn't leave a card field. */
  focus(field?: unknown): void;
  blur(): void;
  /** Empties all fields, unless a payment is in progress. */
  clear(): void;
  /** Shows an error on a billing field that the service refused, and moves the focus there. */
  refuse(param: string): void;
  /** Call this after code has changed the form: clears errors that no longer apply, and reports what has changed. */
  refresh(): void;
}

type Watched = "change" | "focus" | "blur" | "escape";
type Emit = <K extends Watched>(name: K, detail: FrameEvents[K]) => void;

export function watchForm(
  page: Page,
  network: Pick<NetworkChoice, "offered" | "chosen">,
  now: () => number,
  emit: Emit,
): FormWatch {
  const { form, words } = page;
  const cardInputs: (EventTarget | null)[] = [page.number, page.expiry, page.cvc];
  const forgetRefusal = ({ target }: Event) => {
    if (!cardInputs.includes(target)) page.refused = null;
  };
  // First, because the others check the fields again.
  for (const type of ["input", "change"]) form.addEventListener(type, forgetRefusal, true);
  const errors = bindFieldErrors(page, now);
  let isWaiting = false;
  /** The card field that the host page took the focus from; null once the customer has moved the focus. */
  let takenFrom: Element | null = null;
  let lastReported = JSON.stringify(formState(page, network, {}, now()));

  const compare = () => {
    isWaiting = false;
    const detail = formState(page, network, errors.shown(), now());
    const written = JSON.stringify(detail);
    if (written === lastReported) return;
    lastReported = written;
    emit("change", detail);
  };
  const reportLater = () => {
    if (!isWaiting) atNextReport(now, compare);
    isWaiting = true;
  };
  /** The card field that the customer is typing in. */
  const typingIn = (): Element | null => {
    const { activeElement } = page.document;
    return page.document.hasFocus() ? (cardInputs.includes(activeElement) ? activeElement : takenFrom) : null;
  };

  for (const type of ["input", "change"]) form.addEventListener(type, reportLater);
  page.main.addEventListener("focusin", ({ target }) => {
    takenFrom = null;
    const field = fieldOf(page, target);
    if (field) emit("focus", { field });
  });
  form.addEventListener("focusout", ({ target }) => {
    const field = fieldOf(page, target);
    if (!field) return;
    reportLater();
    emit("blur", { field });
  });
  onEscape(form, () => emit("escape", {}));
  words.write("watch", reportLater); // errors are reported as sentences in the current language

  return {
    validate(by) {
      const problems = checkForm(page, now());
      errors.show(problems, by === "customer" || !typingIn());
      reportLater();
      return { valid: Object.keys(problems).length === 0, errors: errorMessages(page, problems) };
    },
    focus(field) {
      if (page.main.dataset["view"] !== "form") return;
      const problems = { ...checkForm(page, now()), ...errors.shown() };
      const found = fieldNames.find((name) => (field === undefined ? problems[name] : name === field));
      const wanted = found ? page.inputs[found] : field === undefined ? page.pay : null;
      const from = typingIn();
      if (!from || from === wanted) wanted?.focus();
    },
    blur() {
      const { activeElement } = page.document;
      takenFrom = typingIn();
      if (activeElement instanceof HTMLElement && page.main.contains(activeElement)) activeElement.blur();
    },
    clear() {
      if (page.pay.getAttribute("aria-disabled") === "true") return;
      for (const name of fieldNames) {
        const input = page.inputs[name];
        if (!input || input.value === "") continue;
        input.value = "";
        input.dispatchEvent(new Event("change", { bubbles: true }));
      }
      errors.clear();
      reportLater();
    },
    refuse(param) {
      const name = billingFieldName(param);
      if (name === "country") return; // customers can't edit it
      const problem = `${name}Wrong` as const;
      const input = page.inputs[name];
      if (input) page.refused = name;
      errors.show({ [name]: problem }, false);
      // The notice above the form was announced just before.
      const said = `${page.notice.textContent} ${words.texts.problems[problem]}`;
      if (input) page.moveFocus(input, said);
      reportLater();
    },
    refresh() {
      errors.clearFixed();
      reportLater();
    },
  };
}

/** Calls `listener` when Escape is pressed in the element. */
export function onEscape(element: HTMLElement, listener: () => void): void {
  element.addEventListener("keydown", ({ key, isComposing, keyCode }) => {
    // Input methods use Escape to cancel a composition. Safari has already ended it by then, but sets this code.
    if (key === "Escape" && !isComposing && keyCode !== 229) listener();
  });
}

function formState(
  page: Page,
  network: Pick<NetworkChoice, "offered" | "chosen">,
  shown: Problems,
  nowMs: number,
): FrameEvents["change"] {
  const brand = cardBrand(page.typing.read().number);
  return {
    complete: Object.keys(checkForm(page, nowMs)).length === 0,
    empty: Object.values(page.inputs).every((input) => input.value === ""),
    errors: errorMessages(page, shown),
    brand: brand === "unknown" ? null : brand,
    networkChoices: [...network.offered()],
    networkChoice: network.chosen(),
  };
}

function errorMessages({ words }: Page, problems: Problems): FieldProblem[] {
  return fieldNames.flatMap((field): FieldProblem[] => {
    const problem = problems[field];
    return problem ? [{ field, code: codeOf(problem), message: words.texts.problems[problem] }] : [];
  });
}

/** Turns `numberIncomplete` into the public code `number_incomplete`, and `cvcIncomplete4` into `cvc_incomplete`. */
function codeOf(problem: Problem): string {
  return problem.replace(/\d/g, "").replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}
