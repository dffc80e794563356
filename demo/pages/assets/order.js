/** Keeps the order page up to date. */
import { showOrder, watchOrder } from "./watch-order.js";

const main = document.querySelector("[data-order]");
if (main.dataset.status === "open") void watchOrder(main.dataset.order, (order) => showOrder(main, order));
