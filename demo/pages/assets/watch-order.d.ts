/** Types of watch-order.js for the single-page app, which bundles that file. The order page loads it unbundled. */
export interface OrderAnswer {
  id: string;
  status: "open" | "paid" | "placed";
  failed_payments: number;
  /** Once the order isn't open anymore. */
  receipt?: { shipping: string; discount: string; total: string };
}
export function watchOrder(
  orderId: string,
  onAnswer: (order: OrderAnswer) => void,
  signal?: AbortSignal,
): Promise<void>;
export function showOrder(element: HTMLElement, order: OrderAnswer): void;
