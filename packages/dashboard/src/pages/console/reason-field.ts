/** Shows errors about the reason at its field, with messages for operators. */
import { refusalOf } from "../../api/refusal.ts";

interface ReasonForm {
  setFieldError(field: "reason", message: string): void;
}

export function showReasonRefusal(form: ReasonForm, error: unknown): void {
  const { code, param } = refusalOf(error);
  if (param !== "reason") return;
  const isMissing = code === "parameter_missing";
  form.setFieldError("reason", isMissing ? "Enter a reason." : "Remove any secret, card number or invalid character.");
}
