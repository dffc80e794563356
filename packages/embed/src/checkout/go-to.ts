/** Navigates to an http(s) URL, unless a `redirect` listener prevents it. */
import type { CheckoutEvents } from "../api/checkout-events.ts";
import type { CheckoutListeners } from "../api/listeners.ts";

export const goTo = (
  { emitEvent }: CheckoutListeners,
  url: string,
  reason: CheckoutEvents["redirect"]["reason"],
): void => {
  let isPrevented = !/^https?:/.test(url);
  emitEvent({ type: "redirect", detail: { url, reason, preventDefault: () => (isPrevented = true) } });
  if (!isPrevented) location.assign(url);
};
