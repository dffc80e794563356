/** How much of a payment can still be refunded. Refunds in progress count, even if they take days. */
import type { PaymentDetail } from "@oriel/protocol/dashboard/payments";

type Refunded = Pick<PaymentDetail, "amount_captured" | "amount_refunded" | "timeline">;

/** @returns an amount in the currency's smallest unit */
export function refundableAmount({ amount_captured, amount_refunded, timeline }: Refunded): number {
  const open = timeline
    .flatMap((entry) => (entry.type === "refund" ? [entry.refund] : []))
    .filter(({ status }) => status === "processing" || status === "pending");
  const rest = amount_captured - amount_refunded - open.reduce((sum, { amount }) => sum + amount, 0);
  return Math.max(rest, 0);
}
