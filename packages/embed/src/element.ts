/**
 * `@oriel/embed/element`: importing it registers `<oriel-checkout>`, once and only in a browser; on a server it does
 * nothing. What the element does stands in checkout-element.ts.
 */
import { defineCheckoutElement, OrielCheckoutElement } from "./markup/checkout-element.ts";

defineCheckoutElement();

export { OrielCheckoutElement };
