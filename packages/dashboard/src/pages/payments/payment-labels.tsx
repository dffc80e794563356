/** How all pages show a payment's status, card and decline reason, and success rates. */
import { Group, Text } from "@mantine/core";
import type { Charge, Refund } from "@oriel/protocol/api";
import type { PaymentRow } from "@oriel/protocol/dashboard/payments";
import { Tag, type Tone } from "../../parts/tag.tsx";

export const paymentStatuses = [
  "succeeded",
  "authorized",
  "processing",
  "failed",
  "canceled",
] as const satisfies Charge["status"][];

const statusTags: Readonly<Record<Charge["status"], { tone: Tone; word: string }>> = {
  succeeded: { tone: "good", word: "Succeeded" },
  authorized: { tone: "new", word: "Authorized" },
  processing: { tone: "waiting", word: "Processing" },
  failed: { tone: "bad", word: "Failed" },
  canceled: { tone: "plain", word: "Canceled" },
};

export function statusWord(status: Charge["status"]): string {
  return statusTags[status].word;
}

export function PaymentStatus({
  status,
  amount_captured,
  amount_refunded,
  pending_operation,
}: Pick<Charge, "status" | "amount_captured" | "amount_refunded" | "pending_operation">) {
  const { tone, word } = statusTags[status];
  return (
    <Group gap={6} display="inline-flex">
      <Tag tone={tone}>{word}</Tag>
      {pending_operation !== null && (
        <Tag tone="waiting">{pending_operation === "capture" ? "Capture pending" : "Cancellation pending"}</Tag>
      )}
      {amount_refunded > 0 && (
        <Tag tone="plain">{amount_refunded < amount_captured ? "Partially refunded" : "Refunded"}</Tag>
      )}
    </Group>
  );
}

const refundTags: Readonly<Record<Refund["status"], { tone: Tone; word: string }>> = {
  processing: { tone: "waiting", word: "Processing" },
  pending: { tone: "waiting", word: "Pending" },
  succeeded: { tone: "good", word: "Succeeded" },
  failed: { tone: "bad", word: "Failed" },
};

export function RefundStatus({ status }: Pick<Refund, "status">) {
  const { tone, word } = refundTags[status];
  return (
    <>
      <Tag tone={tone}>{word}</Tag>
      {status === "pending" && (
        <Text size="xs" c="dimmed" component="div">
          The acquirer confirms it within days.
        </Text>
      )}
    </>
  );
}

/** The card's brand and last four digits, or the payment method's ID for test payment methods, which have no card. */
export function CardName({
  brand,
  last4,
  payment_method_id,
}: Pick<PaymentRow, "brand" | "last4" | "payment_method_id">) {
  return <>{brand === null || last4 === null ? payment_method_id : `${brandName(brand)} ending in ${last4}`}</>;
}

const brandNames: Readonly<Record<string, string>> = {
  visa: "Visa",
  mastercard: "Mastercard",
  amex: "American Express",
  jcb: "JCB",
  unionpay: "UnionPay",
  cartes_bancaires: "Cartes Bancaires",
};

export function brandName(brand: string): string {
  return brandNames[brand] ?? sentence(brand);
}

/** Formats a success rate. Null means that there were no payments with an outcome. */
export function percent(rate: number | null): string {
  return rate === null ? "-" : rate.toLocaleString("en", { style: "percent", maximumFractionDigits: 1 });
}

/**
 * Turns an identifier of the API into text.
 *
 * @example sentence("insufficient_funds") // "Insufficient funds"
 */
export function sentence(word: string): string {
  const plain = word.replaceAll(/[_.]/g, " ");
  return plain.charAt(0).toUpperCase() + plain.slice(1);
}
