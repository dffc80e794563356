/** Every event type that endpoints can subscribe to, with a description. */
import type { CreateWebhookEndpoint } from "@oriel/protocol/api";

export type SubscribableType = NonNullable<CreateWebhookEndpoint["enabled_events"]>[number];

const meanings: Readonly<Record<SubscribableType, string>> = {
  "payment.succeeded": "A payment was captured.",
  payment_failed: "A payment failed.",
  "charge.authorized": "A payment was authorized and can be captured.",
  "charge.canceled": "An authorized payment was canceled, and the money was released.",
  "charge.capture_failed": "A capture failed. The money stays reserved, unless the capture had succeeded before.",
  "charge.cancel_failed": "A cancellation failed. The money stays reserved.",
  "refund.succeeded": "A refund was sent to the card.",
  "refund.failed": "A refund failed, possibly after it had succeeded.",
  "dispute.created": "A customer disputed a payment.",
  "dispute.updated": "A dispute's status, amount or deadline changed.",
  "dispute.closed": "A dispute was won or lost.",
  "checkout_session.completed": "A card was saved without a payment, or an order with a total of 0 was placed.",
  "checkout_session.expired": "A session expired without a payment.",
  "checkout_session.update_requested": "A customer entered a promotion code.",
  "payment_method.attached": "A saved card was attached to a customer.",
  "payment_method.updated": "A saved card's settings changed.",
  "payment_method.detached": "A card was detached, and its data is erased.",
  "customer.deleted": "A customer was deleted.",
  "account.card_testing": "Card testing was detected at your checkout, or has ended.",
  "account.needs_attention": "Something needs a person, because Oriel can't resolve it with the acquirer.",
  "webhook_endpoint.disabled": "An endpoint was disabled because it failed for too long.",
};

export const subscribableTypes = Object.keys(meanings) as SubscribableType[]; // the record has all types as keys

export function meaningOf(type: string): string | null {
  return type in meanings ? meanings[type as SubscribableType] : null; // checked on the left
}
