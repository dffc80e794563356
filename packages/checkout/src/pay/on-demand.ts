/**
 * Code that only some payments need, fetched as one file when any of it is needed: order details, shipping options and
 * promotion codes, the choice between two networks, billing fields, the last minute, the receipt, styles for brands without a mark, and reporting to the
 * host page that there can be no payment. It brings its own styles.
 */
import { addStyles } from "../page/add-styles.ts";
import css from "./on-demand.css?inline";

addStyles(document, css);

export { createBillingFields } from "../form/billing-fields.ts";
export { createOrderChoices } from "../form/order-choices.ts";
export { createNetworkRadios } from "../form/card-fields/network-radios.ts";
export { showOrderDetails } from "../page/order-details.ts";
export { showReceipt } from "../page/receipt.ts";
export { reportFailureToHost } from "../host/report-failure.ts";
export { showTimeLeft } from "../page/time-left.ts";
