/**
 * Polls an order while it's open, for a quarter of an hour: every second for a minute, then every five seconds. Failed
 * requests are repeated, because the browser may be offline for a moment.
 *
 * @param {string} orderId
 * @param {(order: import("./watch-order.js").OrderAnswer) => void} onAnswer
 * @param {AbortSignal} [signal] Stops polling.
 */
export async function watchOrder(orderId, onAnswer, signal) {
  for (let polls = 0; polls < 230; polls++) {
    if (signal?.aborted) return;
    try {
      const answer = await fetch(`/orders/${encodeURIComponent(orderId)}.json`, {
        signal: AbortSignal.timeout(10_000),
      });
      if (answer.ok) {
        const order = await answer.json();
        if (signal?.aborted) return;
        onAnswer(order);
        if (order.status !== "open") return;
      }
    } catch {
      // Polled again below.
    }
    await new Promise((resolve) => setTimeout(resolve, polls < 60 ? 1000 : 5000));
  }
}

/**
 * Shows the order's status, and its receipt where the element has places for it. The style sheet hides everything that
 * belongs to other statuses.
 */
export function showOrder(element, order) {
  element.dataset.status = order.status;
  element.dataset.failedPayments = String(order.failed_payments);
  for (const [name, text] of Object.entries(order.receipt ?? {})) {
    const place = element.querySelector(`[data-receipt="${name}"]`);
    if (place) place.textContent = text;
  }
}
