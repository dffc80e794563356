/** Says what a payment is waiting for, and whether the merchant has to do anything. */
import { Alert } from "@mantine/core";
import type { PaymentDetail } from "@oriel/protocol/dashboard/payments";

export function WaitingAlert({ payment }: { payment: PaymentDetail }) {
  const words = wordsFor(payment);
  if (words === null) return null;
  return (
    <Alert color="yellow" variant="outline" title={words.title}>
      {words.text}
    </Alert>
  );
}

function wordsFor({ status, pending_operation, timeline }: PaymentDetail): { title: string; text: string } | null {
  if (pending_operation === "capture")
    return {
      title: "Capture pending",
      text: "The acquirer confirms it within days. Until then, you can't capture or cancel this payment.",
    };
  if (pending_operation === "cancel")
    return {
      title: "Cancellation pending",
      text: "The acquirer confirms it within days. Until then, you can't capture or cancel this payment.",
    };
  if (status !== "processing") return null;
  if (timeline.some((entry) => entry.type === "reversal"))
    return {
      title: "Outcome unknown",
      text: "Don't retry this payment. The acquirer's response is missing, so we're reversing the payment.",
    };
  if (timeline.some((entry) => entry.type === "authorization" && entry.attempt.accepted !== null))
    return {
      title: "Authorization pending",
      text: "Don't retry this payment. The acquirer accepted it and reports the outcome later.",
    };
  return {
    title: "Outcome unknown",
    text: "Don't retry this payment. We're checking its outcome with the acquirer. This page updates automatically.",
  };
}
