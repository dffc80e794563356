/** Every type an endpoint can ask for, with what it says happened. */
import type { CreateWebhookEndpoint } from "@oriel/protocol/api";

export type AskedEventType = NonNullable<CreateWebhookEndpoint["enabled_events"]>[number];

const meanings: Readonly<Record<AskedEventType, string>> = {
  "payment.succeeded": "Money was taken, or captured.",
  payment_failed: "A try to pay failed.",
  "charge.authorized": "Money is reserved, to be captured.",
  "charge.canceled": "What was reserved is let go.",
  "charge.capture_failed": "A capture was refused. The money stays reserved.",
  "charge.cancel_failed": "A cancellation was refused. The money stays reserved.",
  "refund.succeeded": "Money went back to the card.",
  "refund.failed": "A refund was refused.",
  "checkout_session.completed": "A card was saved by a session that takes no money.",
  "checkout_session.expired": "A session ended without a payment.",
  "webhook_endpoint.disabled": "An endpoint failed for too long and was disabled.",
};

export const askedEventTypes = Object.keys(meanings) as AskedEventType[]; // the record has them all

export function meaningOf(type: string): string | null {
  return type in meanings ? meanings[type as AskedEventType] : null; // just seen to be one
}
