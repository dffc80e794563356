/**
 * What only some payments need, fetched when the first of it is needed: the order's details, the choice between two
 * networks, fields beside the card, the last minute, the receipt, the look of brands without a mark, and word to the
 * host page that there will be no payment at all. It brings its own styles.
 */
import { addStyles } from "../page/add-styles.ts";
import css from "./on-demand.css?inline";

addStyles(document, css);

export { createBillingFields } from "../form/billing-fields.ts";
export { createNetworkRadios } from "../form/card-fields/network-radios.ts";
export { showOrderDetails } from "../page/order-details.ts";
export { showReceipt } from "../page/receipt.ts";
export { tellFailure } from "../host/tell-failure.ts";
export { showTimeLeft } from "../page/time-left.ts";
