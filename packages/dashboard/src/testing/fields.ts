/** Finds and fills in the fields of a page in a test, by their labels. */

type Field = HTMLInputElement | HTMLTextAreaElement | HTMLSelectElement;

/** @throws if there's no such field */
export function fieldOf(label: string): Field {
  const field = [...document.querySelectorAll<Field>("input, textarea, select")].find((each) =>
    [...(each.labels ?? [])].some(({ textContent }) => textContent.startsWith(label)),
  );
  if (field === undefined) throw new Error(`There's no field ${label}`);
  return field;
}

export function fill(label: string, value: string): void {
  const field = fieldOf(label);
  // React ignores a value that is set through the element's own property, because it tracks that property.
  const prototype: unknown = Object.getPrototypeOf(field);
  Object.getOwnPropertyDescriptor(prototype, "value")?.set?.call(field, value);
  field.dispatchEvent(new Event("input", { bubbles: true }));
  field.dispatchEvent(new Event("change", { bubbles: true }));
}

/** @throws if there's no such button */
export function buttonOf(name: string): HTMLButtonElement {
  const button = [...document.querySelectorAll("button")].find((each) =>
    [each.getAttribute("aria-label"), each.textContent].includes(name),
  );
  if (button === undefined) throw new Error(`There's no button ${name}`);
  return button;
}
