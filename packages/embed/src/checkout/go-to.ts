/** Navigates to an http(s) URL, unless a `redirect` listener prevents it. */
import type { AnyCheckoutEvent, CheckoutEvents } from "../api/checkout-events.ts";

export function goTo(
  url: string,
  reason: CheckoutEvents["redirect"]["reason"],
  emit: (event: AnyCheckoutEvent) => void,
): void {
  let isPrevented = !/^https?:/.test(url);
  emit({ type: "redirect", detail: { url, reason, preventDefault: () => (isPrevented = true) } });
  if (!isPrevented) location.assign(url);
}
