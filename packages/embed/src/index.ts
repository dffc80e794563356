/**
 * What a merchant's bundle imports: `import { mountCheckout } from "@oriel/embed"`.
 *
 * Importing it does nothing: no request, no global, no look at `window`. It can be imported on a server; only `mount`
 * needs a page. It trusts the page's own code (whoever calls it chose the `embedUrl`), and the frame's origin for
 * events. It refuses options it does not know and an `embedUrl` that is not one. It knows no card field and never sees
 * card data.
 */
export { createCheckout, mountCheckout } from "./checkout/create-checkout.ts";
export type {
  CheckoutHandle,
  CheckoutPatch,
  CheckoutState,
  DebugReport,
  MountTarget,
  SubmitResult,
} from "./checkout/checkout-handle.ts";
export { CheckoutError } from "./checkout/checkout-error.ts";
export type { CheckoutErrorCode } from "./checkout/checkout-error.ts";
export type {
  AnyCheckoutEvent,
  CheckoutCallbacks,
  CheckoutEventName,
  CheckoutEvents,
} from "./checkout/checkout-events.ts";
export type { Appearance, CheckoutOptions } from "./checkout/checkout-options.ts";
export { parseReturn, redirectToCheckout } from "./checkout/redirect.ts";
