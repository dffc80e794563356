/**
 * Handles presses of Pay: by the customer with the button or Enter, and by the host page with the verb `submit`. Both
 * do the same: the form is validated, errors are shown, and a valid card goes to the payment flow.
 *
 * Only one payment runs at a time. A press while the session is merely being refreshed isn't lost: the payment waits
 * for the response (`payment-flow.ts`). For half a second after the amount on Pay has changed, presses have no effect.
 * Each press is for the order that the page showed at that moment, however long it's checked.
 *
 * If the host page submits a form with errors, the reply waits for the next report (`host/report-interval.ts`), because
 * it reveals what `validate` reveals. A valid card is sent at once.
 *
 * A click on Pay in an iframe is checked first (`visibility/guard-press.ts`): if Pay may not have been visible, the
 * customer is asked to confirm. After that, the form is validated again, because the customer had time to change it. An
 * order that needs no card charges nothing, so its press isn't checked.
 *
 * The host page may submit only if the session was created with `submit_button: "merchant"`. If it then hides our
 * button, Enter in a field doesn't pay either, because the merchant's button may have its own conditions.
 */
import type { FrameSession } from "@oriel/protocol/frame";
import type { FrameSettings, Submission, Validation } from "@oriel/protocol/windows";
import { readCard } from "../form/check-card.ts";
import type { Card } from "../form/check-card.ts";
import { checkForm } from "../form/check-form.ts";
import { nextReport } from "../host/report-interval.ts";
import type { Page } from "../page/page.ts";
import type { PressGuard } from "../visibility/guard-press.ts";
import type { PaymentFlow } from "./payment-flow.ts";

export interface PressWorld {
  page: Page;
  flow: Pick<PaymentFlow, "isBusy" | "pay" | "shownVersion">;
  /** The latest known session; null until it is open. */
  session(): FrameSession["session"] | null;
  settings(): FrameSettings;
  /** Whether the form is disabled, or a part of it is still loading. */
  isDisabled(): boolean;
  /** Whether a choice of the customer is being checked. */
  isHeld(): boolean;
  /** See `FormWatch`. */
  validate(by: "customer" | "host"): Validation;
  guard: Pick<PressGuard, "judge">;
  now(): number;
}

export interface PressPay {
  byCustomer(): Promise<Submission>;
  byHost(): Promise<Submission>;
}

export function createPressPay(world: PressWorld): PressPay {
  const { page, flow, session, settings, isDisabled, isHeld, validate, guard, now } = world;
  /** A press is being checked; other presses get `busy` meanwhile. */
  let isChecking = false;
  const isBlocked = () =>
    isChecking || flow.isBusy() || isDisabled() || page.pay.disabled || page.main.dataset["view"] !== "form";
  /** @returns the typed card, null if none is needed, or why the form can't be sent */
  const readForm = (by: "customer" | "host"): { card: Card | null } | Submission => {
    if (isBlocked()) return { type: "busy" };
    const { valid, errors } = validate(by);
    if (!page.needsCard) return { card: null };
    const card = valid && readCard(page.typing.read(), now());
    return card ? { card } : { type: "validation", errors };
  };
  /** @param press receives the version of the order that the page shows now. The service refuses an outdated one. */
  const begin = async (isRefused: boolean, press: (version?: number) => Promise<Submission>): Promise<Submission> => {
    if (isRefused) return { type: "refused" };
    // The order is about to change.
    if (isHeld()) return { type: "session_changed" };
    return page.pay.hasAttribute("data-changed") ? { type: "session_changed" } : press(flow.shownVersion());
  };
  const pay = async (by: "customer" | "host", version?: number): Promise<Submission> => {
    const read = readForm(by);
    return "type" in read ? read : flow.pay(read.card, version);
  };
  const payIfSeen = async (version?: number): Promise<Submission> => {
    const read = readForm("customer");
    if ("type" in read) return read;
    if (!read.card) return flow.pay(null, version);
    isChecking = true;
    const verdict = await guard.judge().finally(() => (isChecking = false));
    // The customer is told that the order has changed, and pays nothing.
    if (flow.shownVersion() !== version) return isBlocked() ? { type: "busy" } : flow.pay(read.card, version);
    return verdict === "pay" ? pay("customer", version) : { type: "canceled" };
  };
  const isMerchants = () => session()?.submit_button === "merchant";
  return {
    byCustomer: () => begin(isMerchants() && settings().submitButton === "merchant", payIfSeen),
    byHost: () =>
      begin(!isMerchants(), async (version) => {
        if (Object.keys(checkForm(page, now())).length > 0) await nextReport(now);
        return pay("host", version);
      }),
  };
}
