/**
 * Reads a text field of a form or a query string, trimmed. Returns an empty string if it's missing or a file.
 */
export function formText(form: FormData | URLSearchParams, name: string): string {
  const value = form.get(name);
  return typeof value === "string" ? value.trim() : "";
}
