/** A refusal of the service, beside the field it is about, in the names that the page has. */
import type { Refusal } from "../../api/refusal.ts";
import { fieldOf, isField, labelOf, type Faults } from "./form-values.ts";

/** @returns null where it is about no field of the form */
export function faultAt({ param, message }: Refusal): Faults | null {
  const path = param === null ? null : fieldOf(param);
  if (path === null || !isField(path)) return null;
  if (message.includes("must match pattern"))
    return { [path]: `${labelOf(path)} has a form or characters that cannot be kept here.` };
  return { [path]: message.replaceAll(/`([^`]+)`/g, (_, name: string) => labelOf(fieldOf(name))) };
}
