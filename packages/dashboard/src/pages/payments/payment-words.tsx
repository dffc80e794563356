/** How payments are written wherever they stand: their state, card and declines, and how many succeed. */
import { Group } from "@mantine/core";
import type { Charge } from "@oriel/protocol/api";
import type { PaymentRow } from "@oriel/protocol/dashboard-payments";
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
}: Pick<Charge, "status" | "amount_captured" | "amount_refunded">) {
  const { tone, word } = statusTags[status];
  return (
    <Group gap={6} wrap="nowrap" display="inline-flex">
      <Tag tone={tone}>{word}</Tag>
      {amount_refunded > 0 && (
        <Tag tone="plain">{amount_refunded < amount_captured ? "Partly refunded" : "Refunded"}</Tag>
      )}
    </Group>
  );
}

/** The test payment methods have no card behind them. */
export function CardName({
  brand,
  last4,
  payment_method_id,
}: Pick<PaymentRow, "brand" | "last4" | "payment_method_id">) {
  return <>{brand === null || last4 === null ? payment_method_id : `${brandName(brand)} ending ${last4}`}</>;
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

/** Of a success rate. Null: there was nothing to approve. */
export function percent(rate: number | null): string {
  return rate === null ? "-" : rate.toLocaleString("en", { style: "percent", maximumFractionDigits: 1 });
}

/** `insufficient_funds` is "Insufficient funds": the API's words, for people. */
export function sentence(word: string): string {
  const plain = word.replaceAll(/[_.]/g, " ");
  return plain.charAt(0).toUpperCase() + plain.slice(1);
}
