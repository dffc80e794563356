/** A reason that the service does not take, beside its field, in words for an operator. */
import { refusalOf } from "../../api/refusal.ts";

interface ReasonForm {
  setFieldError(field: "reason", message: string): void;
}

export function showReasonRefusal(form: ReasonForm, error: unknown): void {
  const { code, param } = refusalOf(error);
  if (param !== "reason") return;
  const isMissing = code === "parameter_missing";
  form.setFieldError(
    "reason",
    isMissing ? "Reason is missing." : "Remove any secret, card number or invalid character.",
  );
}
