/**
 * One payment: what it was for, who paid, the card and the amounts, and what to do if it failed. The IDs and the timeline
 * are folded below. While something is in progress, the page refreshes automatically.
 */
import { Alert, Button, Group, SimpleGrid, Stack } from "@mantine/core";
import { useState } from "react";
import { useParams } from "wouter";
import type { PaymentDetail } from "@oriel/protocol/dashboard/payments";
import { useWorkspace, useWorkspaceQuery } from "../../api/workspace.tsx";
import { DateTime } from "../../parts/date-time.tsx";
import { DescriptionList } from "../../parts/description-list.tsx";
import { Loaded } from "../../parts/loaded.tsx";
import { money, Money } from "../../parts/money.tsx";
import { Page } from "../../parts/page.tsx";
import { RecordId } from "../../parts/record-id.tsx";
import { RecordTable } from "../../parts/record-table.tsx";
import { RouteLink } from "../../parts/route-link.tsx";
import { FoldedSection, Section } from "../../parts/section.tsx";
import { AttentionSection } from "../attention/attention-section.tsx";
import { DisputeSections } from "../disputes/dispute-section.tsx";
import { amountLine } from "./amount-line.ts";
import { FailureAlert } from "./failure-alert.tsx";
import { LedgerSection } from "./ledger-section.tsx";
import { CustomerSection, OrderSection } from "./order-section.tsx";
import { PaymentDialog, type PaymentAction } from "./payment-dialog.tsx";
import { CardName, PaymentStatus, RefundStatus, sentence } from "./payment-labels.tsx";
import { PaymentTimeline } from "./payment-timeline.tsx";
import { refundableAmount } from "./refundable-amount.ts";
import { netsOf } from "./running-net.ts";
import { WaitingAlert } from "./waiting-alert.tsx";

export function Payment() {
  const { id = "" } = useParams();
  const first = useWorkspaceQuery<PaymentDetail>(`payments/${id}`);
  const refreshMs = first.data === undefined ? null : refreshMsOf(first.data);
  const payment = useWorkspaceQuery<PaymentDetail>(
    `payments/${id}`,
    refreshMs === null ? {} : { refetchInterval: refreshMs },
  );
  const [action, setAction] = useState<PaymentAction | null>(null);
  if (payment.data === undefined)
    return (
      <Page title="Payment">
        <Loaded query={payment}>{() => null}</Loaded>
      </Page>
    );
  const detail = payment.data;
  return (
    <Page
      title={`Payment of ${money(detail.amount, detail.currency)}`}
      lead={
        <Group gap="xs">
          <PaymentStatus {...detail} />
          <span>{amountLine(detail)}</span>
        </Group>
      }
      actions={<Actions payment={detail} onChoose={setAction} />}
    >
      <FailureAlert payment={detail} />
      <WaitingAlert payment={detail} />
      <AttentionSection items={detail.attention} state="open" />
      <DisputeSections disputes={detail.disputes} />
      <SimpleGrid cols={{ base: 1, md: 2 }}>
        <OrderSection payment={detail} />
        <Stack>
          <CustomerSection payment={detail} />
          <AmountSection payment={detail} />
        </Stack>
      </SimpleGrid>
      <RefundsSection payment={detail} />
      <LedgerSection entries={detail.ledger} />
      <AttentionSection items={detail.attention} state="resolved" />
      <FoldedSection title="Technical details" lead="IDs, 3-D Secure, attempts at the acquirer, events and webhooks">
        <Stack gap="xl">
          <DescriptionList
            facts={[
              { name: "Payment ID", value: <RecordId id={detail.id} what="payment ID" isHere /> },
              {
                name: "Payment method ID",
                value: <RecordId id={detail.payment_method_id} what="payment method ID" />,
              },
              { name: "Decision ID", value: <RecordId id={detail.decision_id} what="decision ID" /> },
              {
                name: "Checkout session ID",
                value: detail.session_id === null ? null : <RecordId id={detail.session_id} what="session ID" />,
              },
              { name: "Capture method", value: sentence(detail.capture_method) },
            ]}
          />
          {detail.is_cut && (
            <Alert color="gray" variant="outline">
              This payment has too many entries to show. The oldest refunds and events are left out.
            </Alert>
          )}
          <PaymentTimeline payment={detail} />
        </Stack>
      </FoldedSection>
      {action !== null && <PaymentDialog payment={detail} action={action} onClose={() => setAction(null)} />}
    </Page>
  );
}

function AmountSection({ payment }: { payment: PaymentDetail }) {
  const { href } = useWorkspace();
  const { id, created, currency, amount, amount_captured, amount_refunded, three_d_secure_result } = payment;
  return (
    <Section title="Payment">
      <DescriptionList
        facts={[
          { name: "Payment ID", value: <RecordId id={id} what="payment ID" isHere /> },
          { name: "Date", value: <DateTime at={created} /> },
          { name: "Card", value: <CardName {...payment} /> },
          { name: "Amount", value: <Money amount={amount} currency={currency} /> },
          { name: "Captured", value: <Money amount={amount_captured} currency={currency} /> },
          { name: "Refunded", value: <Money amount={amount_refunded} currency={currency} /> },
          { name: "Net", value: <Net payment={payment} /> },
          {
            name: "3-D Secure",
            value: three_d_secure_result === null ? "Not run" : sentence(three_d_secure_result),
          },
          {
            name: "Webhooks",
            value: (
              <RouteLink to={`${href("events")}?object_id=${id}`}>
                <WebhookSummary payment={payment} />
              </RouteLink>
            ),
          },
        ]}
      />
    </Section>
  );
}

/** What the merchant keeps, in each currency: chargebacks can have another one than the payment. */
function Net({ payment: { currency, ledger } }: { payment: PaymentDetail }) {
  return netsOf(ledger, currency)
    .map((net) => money(net.amount, net.currency))
    .join(", ");
}

/** Whether the merchant's server knows about the payment. */
function WebhookSummary({ payment: { timeline } }: { payment: PaymentDetail }) {
  const deliveries = timeline.flatMap((entry) => (entry.type === "event" ? entry.deliveries : []));
  const failed = deliveries.filter(({ status, tries }) => status === "failed" || (status === "pending" && tries > 0));
  if (deliveries.length === 0) return "None sent";
  if (failed.length > 0) return `${failed.length} of ${deliveries.length} not delivered`;
  return deliveries.every(({ status }) => status === "succeeded") ? "Delivered" : "Pending";
}

function RefundsSection({ payment }: { payment: PaymentDetail }) {
  const refunds = payment.timeline.flatMap((entry) => (entry.type === "refund" ? [entry.refund] : []));
  if (refunds.length === 0) return null;
  return (
    <Section title="Refunds">
      <RecordTable
        label="Refunds"
        items={refunds}
        rowKey={({ id }) => id}
        empty="No refunds."
        columns={[
          { name: "Amount", cell: ({ amount, currency }) => <Money amount={amount} currency={currency} /> },
          { name: "Status", cell: ({ status }) => <RefundStatus status={status} /> },
          { name: "Date", cell: ({ created }) => <DateTime at={created} /> },
          { name: "Reason", cell: ({ reason }) => <span className="long-cell">{reason ?? "-"}</span> },
        ]}
      />
    </Section>
  );
}

function Actions({ payment, onChoose }: { payment: PaymentDetail; onChoose: (action: PaymentAction) => void }) {
  const { may } = useWorkspace();
  if (!may("payments.manage")) return null;
  const { status, pending_operation } = payment;
  const isAuthorized = status === "authorized" && pending_operation === null;
  return (
    <>
      {isAuthorized && <Button onClick={() => onChoose("capture")}>Capture</Button>}
      {isAuthorized && (
        <Button variant="default" onClick={() => onChoose("cancel")}>
          Cancel
        </Button>
      )}
      {status === "succeeded" && refundableAmount(payment) > 0 && (
        <Button variant="default" onClick={() => onChoose("refund")}>
          Refund
        </Button>
      )}
    </>
  );
}

/** How often the page refreshes. What the acquirer reports later can take days. @returns null if nothing is in progress */
function refreshMsOf({ status, pending_operation, timeline }: PaymentDetail): number | null {
  const attempts = timeline.flatMap((entry) => ("attempt" in entry && entry.attempt !== null ? [entry.attempt] : []));
  const open = attempts.filter((attempt) => attempt.status === "processing");
  const isSoon = timeline.some(
    (entry) =>
      entry.type === "event" &&
      entry.deliveries.some((delivery) => delivery.status === "pending" && delivery.tries === 0),
  );
  if (isSoon || open.some(({ accepted }) => accepted === null)) return 3_000;
  return status === "processing" || pending_operation !== null || open.length > 0 ? 30_000 : null;
}
