/**
 * Applies verified events to the orders that they're about. The signature proves only who sent an event, not that it's
 * about one of our orders, because other programs may create sessions with the same account.
 *
 * An order is paid when a payment has succeeded, or placed when a session with a total of 0 is complete, and only if
 * that is the amount that the shop itself charges for what the customer chose.
 */
import type { CheckoutSession, CheckoutSessions, Event } from "@oriel/sdk";
import type { Orders, Outcome } from "./orders.ts";
import { billFor, product } from "./prices.ts";
import { replyToCode } from "./reply-to-code.ts";

/**
 * @throws OrielError if the payment service refuses a request or doesn't respond. The webhook route then responds with
 * 502, so the event is sent again
 */
export async function applyEvent(event: Event, orders: Orders, sessions: CheckoutSessions): Promise<Outcome> {
  const session = sessionOf(event);
  if (session === undefined) return "ignored";
  const order = orders.get(session?.metadata["order_id"] ?? "");
  if (session === null || order === null) return "unknown_order";
  if (order.session_id !== session.id) return "mismatch";
  if (event.type === "checkout_session.update_requested") {
    await replyToCode(sessions, session.id);
    return "applied";
  }
  if (event.type === "payment_failed") return orders.countFailure(order.id, event.id);
  const { amount, currency } =
    event.type === "payment.succeeded" ? event.data.object : { amount: 0, currency: product.currency };
  // The charge doesn't say what the customer chose.
  const bill = billFor(await sessions.retrieve(session.id));
  if (bill === null || amount !== bill.total || currency !== product.currency) return "mismatch";
  return orders.complete(order.id, event.id, bill);
}

/** Null if the charge has no session, and undefined if the shop doesn't need the event. */
function sessionOf(event: Event): Pick<CheckoutSession, "id" | "metadata"> | null | undefined {
  if (event.type === "payment.succeeded" || event.type === "payment_failed") return event.data.object.session;
  if (event.type === "checkout_session.completed" || event.type === "checkout_session.update_requested")
    return event.data.object;
  return undefined;
}
