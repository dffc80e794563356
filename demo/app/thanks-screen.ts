/** The screen after the checkout. It says "Paid" only once the shop's server confirms it, after a verified webhook. */
import { showOrder, watchOrder } from "../pages/assets/watch-order.js";

export function showThanks(main: HTMLElement, orderId: string, signal: AbortSignal): void {
  const receipt = main.querySelector<HTMLElement>(".receipt");
  const link = main.querySelector<HTMLAnchorElement>(".order-link");
  if (!receipt || !link) throw new Error("Bug: the thanks screen is incomplete");
  link.href = `/orders/${orderId}`;
  void watchOrder(orderId, (order) => showOrder(receipt, order), signal);
}
