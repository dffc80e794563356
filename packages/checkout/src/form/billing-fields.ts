/**
 * The fields for name, email and postal code, for merchants who require them. They are created on demand in the
 * existing form, between the card and Pay, in the order of the list in `check-form.ts`.
 *
 * A default value from the host page is used only until the customer has edited the field. None of this is card data.
 */
import type { FrameSettings } from "@oriel/protocol/frame-settings";
import type { Page } from "../page/page.ts";

export interface BillingFields {
  /** Shows exactly the fields that are `required`. (`auto` currently means the same as `never`.) */
  show(settings: Pick<FrameSettings, "fields" | "defaultValues">): void;
}

const names = ["name", "email", "postalCode"] as const;
type BillingName = (typeof names)[number];

/** What browsers and password managers use to recognize the fields. */
const attributes: Record<BillingName, Record<string, string>> = {
  name: { autocomplete: "cc-name", maxlength: "100" },
  email: { type: "email", autocomplete: "email", inputmode: "email", maxlength: "200" },
  postalCode: { autocomplete: "billing postal-code", maxlength: "20" },
};
const testIds: Record<BillingName, string> = {
  name: "oriel-name",
  email: "oriel-email",
  postalCode: "oriel-postal-code",
};

export function createBillingFields(page: Page): BillingFields {
  const { document, form, inputs, words } = page;
  const touched = new Set<BillingName>();
  let given: NonNullable<FrameSettings["defaultValues"]> = {};

  const make = (name: BillingName): HTMLInputElement => {
    const input = document.createElement("input");
    for (const [attribute, value] of Object.entries(attributes[name])) input.setAttribute(attribute, value);
    input.id = name;
    input.name = name;
    input.required = true;
    input.placeholder = " "; // floating labels rely on `:placeholder-shown`
    input.spellcheck = false;
    input.readOnly = page.number.readOnly;
    input.dataset["testid"] = testIds[name];
    input.setAttribute("aria-describedby", `${name}-error`);
    for (const type of ["input", "change"]) input.addEventListener(type, () => touched.add(name));
    const label = document.createElement("label");
    label.htmlFor = name;
    words.write(`label ${name}`, (texts) => {
      label.textContent = texts[name];
    });
    const error = document.createElement("p");
    error.className = "error";
    error.id = `${name}-error`;
    const field = document.createElement("div");
    field.className = "field wide";
    field.append(label, input, error);
    const next = names.slice(names.indexOf(name) + 1).find((later) => inputs[later]);
    form.insertBefore(field, (next && inputs[next]?.parentElement) || page.pay);
    return input;
  };
  const remove = (name: BillingName) => {
    inputs[name]?.parentElement?.remove();
    words.write(`label ${name}`, null);
    delete inputs[name];
    touched.delete(name);
  };
  return {
    show({ fields = {}, defaultValues = {} }) {
      for (const name of names) {
        const isWanted = fields[name] === "required";
        if (isWanted && !inputs[name]) inputs[name] = make(name);
        if (!isWanted && inputs[name]) remove(name);
        const input = inputs[name];
        if (!input || touched.has(name)) continue;
        // A removed default value is emptied, but not what the browser filled in.
        const value = defaultValues[name] ?? (input.value === given[name] ? "" : input.value);
        if (value !== input.value) page.refused = null;
        input.value = value;
      }
      given = defaultValues;
    },
  };
}
