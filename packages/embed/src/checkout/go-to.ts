/** Navigates to an http(s) URL, unless a `redirect` listener prevents it. */
import type { AnyCheckoutEvent, CheckoutEvents } from "../api/checkout-events.ts";

export function goTo(
  url: string,
  reason: CheckoutEvents["redirect"]["reason"],
  tell: (event: AnyCheckoutEvent) => void,
): void {
  let isPrevented = !/^https?:/.test(url);
  tell({ type: "redirect", detail: { url, reason, preventDefault: () => (isPrevented = true) } });
  if (!isPrevented) location.assign(url);
}
