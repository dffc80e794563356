/**
 * A text field of a form, or of an address, as it was typed, without blanks around it; empty where there is none, and
 * for a file.
 */
export function formText(form: FormData | URLSearchParams, name: string): string {
  const value = form.get(name);
  return typeof value === "string" ? value.trim() : "";
}
