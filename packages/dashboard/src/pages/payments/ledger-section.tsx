/** What moved between the merchant and the acquirer because of one payment. */
import type { LedgerEntry } from "@oriel/protocol/api";
import { CopyLine } from "../../parts/copy-text.tsx";
import { DateTime } from "../../parts/date-time.tsx";
import { Money } from "../../parts/money.tsx";
import { RecordTable } from "../../parts/record-table.tsx";
import { Section } from "../../parts/section.tsx";
import { withRunningNet } from "./running-net.ts";

const kinds: Readonly<Record<LedgerEntry["kind"], string>> = {
  capture: "Capture",
  capture_failed: "Capture failed",
  capture_repeated: "Captured again",
  refund: "Refund",
  refund_failed: "Refund failed",
  refund_reversed: "Refund returned",
  refund_repeated: "Refunded again",
  chargeback: "Chargeback",
  chargeback_reversed: "Chargeback reversed",
  second_chargeback: "Second chargeback",
};

export function LedgerSection({ entries }: { entries: readonly LedgerEntry[] }) {
  if (entries.length === 0) return null;
  return (
    <Section
      title="Movements at the acquirer"
      lead="Positive amounts go to you, negative amounts are taken from you. The acquirer's fees aren't included."
    >
      <RecordTable
        label="Movements at the acquirer"
        items={withRunningNet(entries)}
        rowKey={({ kind, reference }) => `${kind} ${reference}`}
        empty="No movements."
        columns={[
          { name: "Movement", cell: ({ kind }) => kinds[kind] },
          { name: "Date", cell: ({ created }) => <DateTime at={created} /> },
          {
            name: "Reference",
            cell: ({ reference }) => <CopyLine text={reference} what={`reference ${reference}`} />,
          },
          {
            name: "Amount",
            isAmount: true,
            cell: ({ amount, currency }) => <Money amount={amount} currency={currency} />,
          },
          { name: "Net", isAmount: true, cell: ({ net, currency }) => <Money amount={net} currency={currency} /> },
        ]}
      />
    </Section>
  );
}
