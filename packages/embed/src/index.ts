/**
 * The package's main entry: `import { mountCheckout } from "@oriel/embed"`.
 *
 * Importing it has no side effects, so you can import it on a server; only `mount` needs a browser. It trusts its
 * caller, who chooses the `embedUrl`, and events from the iframe's origin. It refuses unknown options and invalid
 * `embedUrl`s, and never handles card data.
 */
export { createCheckout, mountCheckout } from "./checkout/create-checkout.ts";
export type {
  CheckoutHandle,
  CheckoutPatch,
  CheckoutState,
  DebugReport,
  MountTarget,
  SubmitResult,
} from "./api/checkout-handle.ts";
export { CheckoutError } from "./api/checkout-error.ts";
export type { CheckoutErrorCode } from "./api/checkout-error.ts";
export type { AnyCheckoutEvent, CheckoutCallbacks, CheckoutEventName, CheckoutEvents } from "./api/checkout-events.ts";
export type { Appearance, CheckoutOptions } from "./api/checkout-options.ts";
export { parseReturn, redirectToCheckout } from "./checkout/redirect.ts";
