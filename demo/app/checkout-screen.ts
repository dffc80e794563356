/**
 * The checkout screen. It requests an order from the shop's server and mounts the order's session. Navigating back and
 * forth mounts the same session again. A session that can no longer take a payment is replaced.
 */
import { type CheckoutError, mountCheckout } from "@oriel/embed";

interface OpenOrder {
  order_id: string;
  embed_url: string;
}

let current: Promise<OpenOrder> | null = null;

export async function showCheckout(main: HTMLElement, go: (path: string) => void, signal: AbortSignal): Promise<void> {
  const container = main.querySelector(".checkout");
  const notice = main.querySelector(".notice");
  if (!container || !notice) throw new Error("Bug: the checkout screen has no container for the iframe");
  try {
    current ??= openOrder();
    const order = await current;
    if (signal.aborted) return;
    const checkout = mountCheckout(container, {
      embedUrl: order.embed_url,
      signal,
      onComplete() {
        current = null;
        go(`/app/thanks/${order.order_id}`);
      },
      onUpdateRequest() {
        // The shop's server replies to the promotion code. If this request is lost, the webhook makes it reply.
        checkout.runServerUpdate(() => requestReply(order)).catch(() => {});
      },
      onError(error: CheckoutError) {
        if (!error.retryable) current = null;
        notice.textContent = error.retryable ? "" : "This checkout has ended. Go back to the cup and start again.";
      },
    });
  } catch {
    current = null;
    notice.textContent = "The checkout isn’t available. You haven’t been charged. Please try again in a minute.";
  }
}

async function openOrder(): Promise<OpenOrder> {
  const response = await fetch("/orders", {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ way: "app" }),
    signal: AbortSignal.timeout(15_000),
  });
  if (!response.ok) throw new Error(`The shop responded ${response.status}.`);
  return response.json();
}

async function requestReply({ order_id }: OpenOrder): Promise<void> {
  await fetch(`/orders/${order_id}/code`, { method: "POST", signal: AbortSignal.timeout(15_000) });
}
