/** A text field of a form as it was typed, without blanks around it; empty where there is none, and for a file. */
export function formText(form: FormData, name: string): string {
  const value = form.get(name);
  return typeof value === "string" ? value.trim() : "";
}
