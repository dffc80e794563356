/** Requests to the shop's own server. */
export interface CreatedOrder {
  id: string;
  embedUrl: string;
}

export async function createOrder(): Promise<CreatedOrder> {
  const response = await fetch("/api/orders", { method: "POST", signal: AbortSignal.timeout(15_000) });
  if (!response.ok) throw new Error(`The shop returned status ${response.status}.`);
  return (await response.json()) as CreatedOrder; // as server/main.ts sends it
}

/** Checks once a second, for a minute, whether the webhook has arrived. */
export async function waitUntilPaid(orderId: string): Promise<boolean> {
  for (let checks = 0; checks < 60; checks++) {
    const response = await fetch(`/api/orders/${orderId}`).catch(() => null); // retried if the connection is lost
    if (response?.ok) {
      const { status } = (await response.json()) as { status: string }; // as server/main.ts sends it
      if (status === "paid") return true;
    }
    await new Promise((resolve) => setTimeout(resolve, 1_000));
  }
  return false;
}
