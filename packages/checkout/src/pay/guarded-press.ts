/**
 * Connects pressing Pay and validating the form with the guard against pages that hide Pay
 * (`visibility/guard-press.ts`).
 */
import type { Validation } from "@oriel/protocol/windows";
import type { FormSettings } from "../form/form-settings.ts";
import type { FormWatch } from "../form/watch-form.ts";
import type { HostPage } from "../host/host-page.ts";
import type { Page } from "../page/page.ts";
import { openElsewhere } from "../service/client-secret.ts";
import type { FrameApi } from "../service/frame-api.ts";
import { confirmPayment } from "../visibility/confirm-payment.ts";
import { createPressGuard } from "../visibility/guard-press.ts";
import type { PressGuard } from "../visibility/guard-press.ts";
import { watchVisibility } from "../visibility/watch-visibility.ts";
import type { PaymentFlow } from "./payment-flow.ts";
import { createPressPay } from "./press-pay.ts";
import type { PressPay } from "./press-pay.ts";

export interface GuardedPress extends Pick<PressPay, "byHost">, Pick<PressGuard, "forHost" | "isHolding"> {
  /** See `FormWatch`. */
  validate(by: "customer" | "host"): Validation;
}

export interface PressParts {
  page: Page;
  window: Window & typeof globalThis;
  api: Pick<FrameApi, "session" | "now">;
  host: Pick<HostPage, "isLinked" | "emit">;
  settings: Pick<FormSettings, "current" | "isDisabled" | "onChange">;
  form: Pick<FormWatch, "validate">;
  flow: Pick<PaymentFlow, "isBusy" | "pay" | "shownVersion">;
  /** Whether a choice of the customer is being checked. */
  isHeld(): boolean;
  deviceNow(): number;
  /** Reports the form's height, which isn't reported while a press is held. */
  measure(): void;
}

export function bindPress({
  page,
  window,
  api,
  host,
  settings,
  form,
  flow,
  isHeld,
  deviceNow,
  measure,
}: PressParts): GuardedPress {
  const sight = watchVisibility(page, window, deviceNow, () => api.session()?.livemode);
  settings.onChange(sight.restart);
  const guard = createPressGuard({
    page,
    window,
    sight,
    isDisabled: () => settings.isDisabled() || isHeld(),
    isBusy: flow.isBusy,
    confirmPayment,
    leave: () => (host.isLinked ? host.emit("leave", {}) : openElsewhere(window)),
    released: measure,
  });
  const { forHost, isHolding } = guard;
  const validate = (by: "customer" | "host") => (by === "host" ? forHost(() => form.validate(by)) : form.validate(by));
  const { byCustomer, byHost } = createPressPay({
    page,
    flow,
    session: api.session,
    settings: settings.current,
    isDisabled: settings.isDisabled,
    isHeld,
    validate,
    guard,
    now: api.now,
  });
  page.form.addEventListener("submit", (event) => {
    event.preventDefault();
    void byCustomer();
  });
  return { byHost, forHost, isHolding, validate };
}
