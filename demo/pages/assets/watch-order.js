/**
 * Asks the shop how an order stands until it is paid: every second for a minute, then every five seconds, for a quarter of an hour.
 * A question that fails is asked again; the browser may be offline for a moment.
 *
 * @param {string} orderId
 * @param {(order: { id: string, status: "open" | "paid", failed_payments: number }) => void} onAnswer
 * @param {AbortSignal} [signal] Stops asking.
 */
export async function watchOrder(orderId, onAnswer, signal) {
  for (let asked = 0; asked < 230; asked++) {
    if (signal?.aborted) return;
    try {
      const answer = await fetch(`/orders/${encodeURIComponent(orderId)}.json`, {
        signal: AbortSignal.timeout(10_000),
      });
      if (answer.ok) {
        const order = await answer.json();
        if (signal?.aborted) return;
        onAnswer(order);
        if (order.status === "paid") return;
      }
    } catch {
      // Asked again below.
    }
    await new Promise((resolve) => setTimeout(resolve, asked < 60 ? 1000 : 5000));
  }
}

/** Shows an answer: the style sheet shows what belongs to the status and hides the rest. */
export function showOrder(element, order) {
  element.dataset.status = order.status;
  element.dataset.failedPayments = String(order.failed_payments);
}
