/** A reason that the service does not take, beside its field, in words for an operator. */
import { refusalOf } from "../../api/refusal.ts";

interface ReasonForm {
  setFieldError(field: "reason", message: string): void;
}

export function showReasonRefusal(form: ReasonForm, error: unknown): void {
  const { param, message } = refusalOf(error);
  if (param !== "reason") return;
  const isAboutCharacters = message.includes("must match pattern");
  form.setFieldError(
    "reason",
    isAboutCharacters ? "It holds a secret, or characters that cannot be kept." : message.replaceAll("`reason`", "The reason"),
  );
}
