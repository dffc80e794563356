/**
 * What only some payments need, fetched when the first of it is needed: the order's details, the choice between two networks, fields beside the card,
 * the last minute, the receipt, the look of brands without a mark, and word to the host page that there will be no payment at all. It brings its
 * own styles.
 */
import { addStyles } from "./add-styles.ts";
import css from "./extras.css?inline";

addStyles(document, css);

export { createBillingFields } from "./billing-fields.ts";
export { createNetworkRadios } from "./card-fields/network-radios.ts";
export { showOrderDetails } from "./order-details.ts";
export { showReceipt } from "./receipt.ts";
export { tellFailure } from "./tell-failure.ts";
export { showTimeLeft } from "./time-left.ts";
