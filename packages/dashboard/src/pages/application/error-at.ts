/**
 * Turns an error from the service into a message for its form field. The service's message is for developers, so this
 * uses the form's own messages.
 */
import type { RequestError } from "../../api/api-error.ts";
import { fieldOf, isField, missing, ruleOf, type Faults } from "./form-values.ts";

/** @returns null if the error isn't about the value of a form field */
export function errorAt({ code, param }: RequestError): Faults | null {
  const path = param === null ? null : fieldOf(param);
  if (path === null || !isField(path)) return null;
  if (code === "parameter_missing") return { [path]: missing(path) };
  return code === "parameter_invalid" ? { [path]: ruleOf(path) } : null;
}
