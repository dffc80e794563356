/** Types of watch-order.js for the single-page app, which bundles that file. The order page loads it unbundled. */
export interface OrderAnswer {
  id: string;
  status: "open" | "paid";
  failed_payments: number;
}
export function watchOrder(
  orderId: string,
  onAnswer: (order: OrderAnswer) => void,
  signal?: AbortSignal,
): Promise<void>;
export function showOrder(element: HTMLElement, order: OrderAnswer): void;
