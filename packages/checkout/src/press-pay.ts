/**
 * Pressing Pay: the customer by button or Enter, the host page by the verb `submit`. Both go the same way: what was typed is checked and
 * marked, and a card that may be one is handed to the payment.
 *
 * The host page's try with something wrong waits for the half second (`half-second.ts`), for a try that fails says what `validate` says. A card
 * that may be one is sent at once.
 *
 * The host page may press only where the session was created with `submit_button: "merchant"`. Where it then hides our button, Enter in a field
 * does not pay either: the merchant's button may have conditions of its own.
 */
import type { FrameSession } from "@oriel/protocol/frame";
import type { FrameSettings, Submission, Validation } from "@oriel/protocol/windows";
import { checkCard } from "./check-card.ts";
import { checkForm } from "./check-form.ts";
import { onTheHalfSecond } from "./half-second.ts";
import type { Page } from "./page.ts";
import type { PaymentFlow } from "./payment-flow.ts";

export interface PressWorld {
  page: Page;
  flow: Pick<PaymentFlow, "isBusy" | "pay">;
  /** As last heard; null until it is open. */
  session(): FrameSession["session"] | null;
  settings(): FrameSettings;
  /** See `FormWatch`. */
  validate(by: "customer" | "host"): Validation;
  now(): number;
}

export interface PressPay {
  byCustomer(): Promise<Submission>;
  byHost(): Promise<Submission>;
}

export function createPressPay({ page, flow, session, settings, validate, now }: PressWorld): PressPay {
  const press = async (by: "customer" | "host"): Promise<Submission> => {
    if (flow.isBusy() || settings().disabled || page.pay.disabled || page.main.dataset["view"] !== "form")
      return { type: "busy" };
    const { valid, errors } = validate(by);
    const checked = checkCard({ number: page.number.value, expiry: page.expiry.value, cvc: page.cvc.value }, now());
    return valid && "card" in checked ? flow.pay(checked.card) : { type: "validation", errors };
  };
  const isMerchants = () => session()?.submit_button === "merchant";
  return {
    byCustomer: async () => (isMerchants() && settings().submitButton === "merchant" ? { type: "refused" } : press("customer")),
    async byHost() {
      if (!isMerchants()) return { type: "refused" };
      if (Object.keys(checkForm(page, now())).length > 0) await onTheHalfSecond(now);
      return press("host");
    },
  };
}
