/**
 * Pressing Pay: the customer by button or Enter, the host page by the verb `submit`. Both go the same way: what was
 * typed is checked and marked, and a card that may be one is handed to the payment.
 *
 * One payment at a time. A press while the session is only asked about again isn't lost: the payment waits for the
 * answer (`payment-flow.ts`).
 *
 * If the host page submits a form with something wrong, the answer waits for the next report
 * (`host/report-interval.ts`), because it says what `validate` says. A card that may be one is sent at once.
 *
 * A click on Pay in a frame is judged first (`visibility/guard-press.ts`): where Pay may not have been seen, the
 * customer is asked once more. What was typed is looked at again after that, for the customer had time to change it.
 *
 * The host page may press only where the session was created with `submit_button: "merchant"`. Where it then hides our
 * button, Enter in a field does not pay either: the merchant's button may have conditions of its own.
 */
import type { FrameSession } from "@oriel/protocol/frame";
import type { FrameSettings, Submission, Validation } from "@oriel/protocol/windows";
import { readCard } from "../form/check-card.ts";
import type { Card } from "../form/check-card.ts";
import { checkForm } from "../form/check-form.ts";
import { nextReport } from "../host/report-interval.ts";
import type { Page } from "../page/page.ts";
import type { PaymentFlow } from "./payment-flow.ts";
import type { PressGuard } from "../visibility/guard-press.ts";

export interface PressWorld {
  page: Page;
  flow: Pick<PaymentFlow, "isBusy" | "pay">;
  /** As last heard; null until it is open. */
  session(): FrameSession["session"] | null;
  settings(): FrameSettings;
  /** See `FormWatch`. */
  validate(by: "customer" | "host"): Validation;
  guard: Pick<PressGuard, "judge">;
  now(): number;
}

export interface PressPay {
  byCustomer(): Promise<Submission>;
  byHost(): Promise<Submission>;
}

export function createPressPay({ page, flow, session, settings, validate, guard, now }: PressWorld): PressPay {
  /** A press is being judged; whatever is pressed meanwhile finds it so. */
  let isJudging = false;
  const mayNot = () =>
    isJudging || flow.isBusy() || settings().disabled || page.pay.disabled || page.main.dataset["view"] !== "form";
  const look = (by: "customer" | "host"): { card: Card } | { refusal: Submission } => {
    if (mayNot()) return { refusal: { type: "busy" } };
    const { valid, errors } = validate(by);
    const card = readCard(page.typing.read(), now());
    return valid && card ? { card } : { refusal: { type: "validation", errors } };
  };
  const press = async (by: "customer" | "host"): Promise<Submission> => {
    const looked = look(by);
    return "card" in looked ? flow.pay(looked.card) : looked.refusal;
  };
  const pressSeen = async (): Promise<Submission> => {
    const looked = look("customer");
    if ("refusal" in looked) return looked.refusal;
    isJudging = true;
    const verdict = await guard.judge().finally(() => (isJudging = false));
    return verdict === "pay" ? press("customer") : { type: "canceled" };
  };
  const isMerchants = () => session()?.submit_button === "merchant";
  return {
    byCustomer: async () =>
      isMerchants() && settings().submitButton === "merchant" ? { type: "refused" } : pressSeen(),
    async byHost() {
      if (!isMerchants()) return { type: "refused" };
      if (Object.keys(checkForm(page, now())).length > 0) await nextReport(now);
      return press("host");
    },
  };
}
