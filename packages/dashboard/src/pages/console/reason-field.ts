/** Shows errors about the reason at its field, with messages for operators. */
import { requestErrorOf } from "../../api/api-error.ts";

interface ReasonForm {
  setFieldError(field: "reason", message: string): void;
}

export function showReasonRefusal(form: ReasonForm, error: unknown): void {
  const { code, param } = requestErrorOf(error);
  if (param !== "reason") return;
  const isMissing = code === "parameter_missing";
  form.setFieldError("reason", isMissing ? "Enter a reason." : "Remove any secret, card number or invalid character.");
}
