/** The details of an item as names and values. Their names depend on the kind and on what the acquirer sent. */
import type { AttentionItem } from "@oriel/protocol/dashboard/acquirers";
import { money } from "../../parts/money.tsx";
import { sentence } from "../payments/payment-labels.tsx";

const names: Readonly<Record<string, string>> = {
  acquirer_account: "Acquirer account",
  acquirer_event: "Acquirer's event",
  acquirer_id: "Acquirer's ID",
  operation_id: "Acquirer's ID of the operation",
  attempt_id: "Attempt ID",
  reference: "Our reference",
};

const operations: Readonly<Record<string, string>> = {
  authorize: "Authorization",
  capture: "Capture",
  cancel: "Cancellation",
  release: "Cancellation of the rest",
  refund: "Refund",
  reverse: "Reversal",
};

/** An amount is formatted with its currency. Without one, it's left as it is. */
export function detailFacts({ details }: AttentionItem): { name: string; value: string | null }[] {
  const { amount, currency, ...others } = details;
  const facts = Object.entries(others).map(([name, value]) => ({
    name: names[name] ?? sentence(name),
    value: value === null ? null : name === "operation" ? (operations[value] ?? String(value)) : String(value),
  }));
  if (typeof amount === "number" && typeof currency === "string")
    return [{ name: "Amount", value: money(amount, currency) }, ...facts];
  return [
    ...(amount === undefined || amount === null ? [] : [{ name: "Amount", value: String(amount) }]),
    ...(currency === undefined || currency === null ? [] : [{ name: "Currency", value: String(currency) }]),
    ...facts,
  ];
}
