/**
 * Watches the form for the host page, and does there what the host page may ask: focus, blur, clear, validate.
 *
 * What is told: whether Pay would be accepted, whether all is empty, the card's brand or networks, and what is wrong
 * with fields that the customer has left or tried to pay with. Never what was typed. Changes are reported every half
 * second (`host/report-interval.ts`) and only if something differs, so that neither a single key nor its time can be
 * told from outside.
 *
 * Nobody but the customer takes the keyboard out of a field of the card: what is typed next would stand in another
 * field, in the clear.
 */
import { fieldNames } from "@oriel/protocol/frame-settings";
import { cardBrand } from "@oriel/protocol/card";
import type { FieldProblem, FrameEvents, Validation } from "@oriel/protocol/windows";
import type { NetworkChoice } from "./card-fields/network-choice.ts";
import { besideCard } from "./billing-details.ts";
import { checkForm } from "./check-form.ts";
import type { Problems } from "./check-form.ts";
import { bindFieldErrors, fieldOf } from "./field-errors.ts";
import { atNextReport } from "../host/report-interval.ts";
import type { Page } from "../page/page.ts";
import type { Problem } from "../texts/texts.ts";

export interface FormWatch {
  /**
   * Checks all fields, marks what is wrong, and puts the keyboard into the first of them; not out of a field of the
   * card for the host page.
   */
  validate(by: "customer" | "host"): Validation;
  /**
   * Puts the keyboard into a field; without a name into the first that needs attention. Not out of a field of the card.
   */
  focus(field?: unknown): void;
  blur(): void;
  /** Empties all fields; not while a payment is under way. */
  clear(): void;
  /** The service refused what stands in a field beside the card: marks it, and puts the keyboard there. */
  refuse(param: string): void;
  /**
   * To be called when the form was changed by code: takes away what was marked and is right now, and tells what is
   * another.
   */
  look(): void;
}

type Watched = "change" | "focus" | "blur" | "escape";
type Tell = <K extends Watched>(name: K, detail: FrameEvents[K]) => void;

export function watchForm(
  page: Page,
  network: Pick<NetworkChoice, "offered" | "chosen">,
  now: () => number,
  tell: Tell,
): FormWatch {
  const { form, words } = page;
  const errors = bindFieldErrors(page, now);
  let isWaiting = false;
  /** The host page took the keyboard out of this field of the card, and the customer has put it nowhere since. */
  let takenFrom: Element | null = null;
  let told = JSON.stringify(standing(page, network, {}, now()));

  const compare = () => {
    isWaiting = false;
    const detail = standing(page, network, errors.shown(), now());
    const written = JSON.stringify(detail);
    if (written === told) return;
    told = written;
    tell("change", detail);
  };
  const look = () => {
    if (!isWaiting) atNextReport(now, compare);
    isWaiting = true;
  };
  /** The field of the card that somebody is typing in. */
  const typingIn = (): Element | null => {
    const { activeElement } = page.document;
    const isCard = [page.number, page.expiry, page.cvc].some((input) => input === activeElement);
    return page.document.hasFocus() ? (isCard ? activeElement : takenFrom) : null;
  };

  for (const type of ["input", "change"]) form.addEventListener(type, look);
  page.main.addEventListener("focusin", ({ target }) => {
    takenFrom = null;
    const field = fieldOf(page, target);
    if (field) tell("focus", { field });
  });
  form.addEventListener("focusout", ({ target }) => {
    const field = fieldOf(page, target);
    if (!field) return;
    look();
    tell("blur", { field });
  });
  form.addEventListener("keydown", (event) => {
    if (event.key === "Escape") tell("escape", {});
  });
  words.write("watch", look); // what is wrong is told as a sentence

  return {
    validate(by) {
      const problems = checkForm(page, now());
      errors.show(problems, by === "customer" || !typingIn());
      look();
      return { valid: Object.keys(problems).length === 0, errors: spoken(page, problems) };
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
      look();
    },
    refuse(param) {
      const name = besideCard(param);
      if (name === "country") return; // nobody types it
      errors.show({ [name]: name === "email" ? "emailWrong" : `${name}Missing` }, true);
      look();
    },
    look() {
      errors.mend();
      look();
    },
  };
}

function standing(
  page: Page,
  network: Pick<NetworkChoice, "offered" | "chosen">,
  shown: Problems,
  nowMs: number,
): FrameEvents["change"] {
  const brand = cardBrand(page.typing.read().number);
  return {
    complete: Object.keys(checkForm(page, nowMs)).length === 0,
    empty: Object.values(page.inputs).every((input) => input.value === ""),
    errors: spoken(page, shown),
    brand: brand === "unknown" ? null : brand,
    networkChoices: [...network.offered()],
    networkChoice: network.chosen(),
  };
}

function spoken({ words }: Page, problems: Problems): FieldProblem[] {
  return fieldNames.flatMap((field): FieldProblem[] => {
    const problem = problems[field];
    return problem ? [{ field, code: codeOf(problem), message: words.texts.problems[problem] }] : [];
  });
}

/** `numberIncomplete` is `number_incomplete` outside, `cvcIncomplete4` is `cvc_incomplete`. */
function codeOf(problem: Problem): string {
  return problem.replace(/\d/g, "").replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}
