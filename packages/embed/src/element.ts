/**
 * `@oriel/embed/element`: importing it in a browser registers `<oriel-checkout>`. On a server it does nothing. See
 * checkout-element.ts.
 */
import { defineCheckoutElement, OrielCheckoutElement } from "./markup/checkout-element.ts";

defineCheckoutElement();

export { OrielCheckoutElement };
