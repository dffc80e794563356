/**
 * Puts a refusal of the service beside the field it is about. Its message is for developers, so the page has sentences
 * of its own.
 */
import type { Refusal } from "../../api/refusal.ts";
import { fieldOf, isField, missing, ruleOf, type Faults } from "./form-values.ts";

/** @returns null if it isn't about the value of a field of the form */
export function faultAt({ code, param }: Refusal): Faults | null {
  const path = param === null ? null : fieldOf(param);
  if (path === null || !isField(path)) return null;
  if (code === "parameter_missing") return { [path]: missing(path) };
  return code === "parameter_invalid" ? { [path]: ruleOf(path) } : null;
}
