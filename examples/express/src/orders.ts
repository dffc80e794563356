/** The shop's orders. A real shop keeps them in its database. */
import { randomUUID } from "node:crypto";
import type { Event } from "@oriel/sdk";

export interface Order {
  /** Unguessable, because anyone who has it can see the order's page. */
  readonly id: string;
  readonly amount: number;
  readonly currency: string;
  sessionId?: string;
  embedUrl?: string;
  status: "open" | "paid";
}

const orders = new Map<string, Order>();

/** Creates an order. The price comes from the shop, never from the page. */
export function createOrder(): Order {
  const order: Order = { id: randomUUID(), amount: 4900, currency: "eur", status: "open" };
  orders.set(order.id, order);
  return order;
}

export function findOrder(id: string): Order | undefined {
  return orders.get(id);
}

/**
 * Applies a verified event. The signature proves who sent it, so this checks that it's about the order: its session and
 * its amount. Oriel may send an event twice, and marking an order as paid again changes nothing.
 */
export function applyEvent(event: Event): void {
  if (event.type !== "payment.succeeded") return;
  const { amount, currency, session } = event.data.object;
  const order = orders.get(session?.metadata["order_id"] ?? "");
  if (!order || order.sessionId !== session?.id) return;
  if (amount === order.amount && currency === order.currency) order.status = "paid";
}
