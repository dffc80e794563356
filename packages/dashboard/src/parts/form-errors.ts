/** Shows errors next to their form fields. */
import { requestErrorOf } from "../api/api-error.ts";

/** The methods of a Mantine form that are used here. */
interface Fields {
  getValues(): object;
  setFieldError(field: string, message: string): void;
}

/** @param names maps the service's field names to the form's, where they differ */
export function showRefusal(form: Fields, error: unknown, names: Readonly<Record<string, string>> = {}): void {
  const { param, message } = requestErrorOf(error);
  if (param === null) return;
  const field = names[param] ?? param;
  if (field in form.getValues()) form.setFieldError(field, message);
}

/** A validator that requires a value and checks nothing else. */
export function required(what: string) {
  return (value: string) => (value.trim() === "" ? `Enter ${what}.` : null);
}
