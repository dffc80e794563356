/**
 * What a merchant's bundle imports: `import { mountCheckout } from "@oriel/embed"`.
 *
 * Importing it does nothing: no request, no global, no look at `window`. It can be imported on a server; only `mount` needs a page.
 * It trusts the page's own code (whoever calls it chose the `embedUrl`), and the frame's origin for events. It refuses options it does
 * not know and an `embedUrl` that is not one. It knows no card field and never sees card data.
 */
export { createCheckout, mountCheckout } from "./create-checkout.ts";
export type { CheckoutHandle, CheckoutState, MountTarget } from "./create-checkout.ts";
export { CheckoutError } from "./checkout-error.ts";
export type { CheckoutErrorCode } from "./checkout-error.ts";
export type { AnyCheckoutEvent, CheckoutEventName, CheckoutEvents } from "./checkout-events.ts";
export type { CheckoutOptions } from "./checkout-options.ts";
export { parseReturn, redirectToCheckout } from "./redirect.ts";
