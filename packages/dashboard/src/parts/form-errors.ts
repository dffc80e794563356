/** Puts a refusal beside the field it is about. */
import { refusalOf } from "../api/refusal.ts";

/** As much of a form as this needs. */
interface Fields {
  getValues(): object;
  setFieldError(field: string, message: string): void;
}

/** @param names fields by the service's name of each, where the form calls it otherwise */
export function showRefusal(form: Fields, error: unknown, names: Readonly<Record<string, string>> = {}): void {
  const { param, message } = refusalOf(error);
  if (param === null) return;
  const field = names[param] ?? param;
  if (field in form.getValues()) form.setFieldError(field, message);
}

/** For a form that can only be wrong by being empty. */
export function required(what: string) {
  return (value: string) => (value.trim() === "" ? `${what} is missing.` : null);
}
