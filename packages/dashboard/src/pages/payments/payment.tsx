/**
 * One payment: its status, possible actions and timeline. While something is in progress, the page refreshes
 * automatically.
 */
import { Alert, Button, Stack } from "@mantine/core";
import { useState } from "react";
import { useParams } from "wouter";
import type { PaymentDetail } from "@oriel/protocol/dashboard-payments";
import { useDesk, useDeskQuery } from "../../api/account-mode.tsx";
import { CopyLine } from "../../parts/copy-text.tsx";
import { DescriptionList } from "../../parts/description-list.tsx";
import { Loaded } from "../../parts/loaded.tsx";
import { DateTime } from "../../parts/date-time.tsx";
import { money, Money } from "../../parts/money.tsx";
import { Page } from "../../parts/page.tsx";
import { RouteLink } from "../../parts/route-link.tsx";
import { Section } from "../../parts/section.tsx";
import { PaymentDialog, type PaymentAction } from "./payment-dialog.tsx";
import { CardName, PaymentStatus, sentence } from "./payment-labels.tsx";
import { PaymentTimeline } from "./payment-timeline.tsx";

export function Payment() {
  const { id = "" } = useParams();
  const first = useDeskQuery<PaymentDetail>(`payments/${id}`);
  const isOpen = first.data !== undefined && isUnderWay(first.data);
  const payment = useDeskQuery<PaymentDetail>(`payments/${id}`, isOpen ? { refetchInterval: 3_000 } : {});
  const [action, setAction] = useState<PaymentAction | null>(null);
  const { href } = useDesk();
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
      lead={<PaymentStatus {...detail} />}
      actions={<Actions payment={detail} onChoose={setAction} />}
    >
      {detail.failure !== null && (
        <Alert color="red" variant="outline" title={sentence(detail.failure.decline_code)}>
          {detail.failure.message}
        </Alert>
      )}
      {detail.status === "processing" && (
        <Alert color="yellow" variant="outline" title="Outcome unknown">
          Don't retry this payment. We're checking its outcome with the acquirer. This page updates automatically.
        </Alert>
      )}
      <Section title="Details">
        <DescriptionList
          facts={[
            { name: "Payment ID", value: <CopyLine text={detail.id} what="payment ID" /> },
            { name: "Created", value: <DateTime at={detail.created} /> },
            { name: "Card", value: <CardName {...detail} /> },
            { name: "Customer", value: detail.customer_email },
            { name: "Captured", value: <Money amount={detail.amount_captured} currency={detail.currency} /> },
            { name: "Refunded", value: <Money amount={detail.amount_refunded} currency={detail.currency} /> },
            { name: "Capture method", value: sentence(detail.capture_method) },
            {
              name: "3-D Secure",
              value: detail.three_d_secure_result === null ? null : sentence(detail.three_d_secure_result),
            },
            { name: "Payment method ID", value: detail.payment_method_id },
            { name: "Decision ID", value: detail.decision_id },
            { name: "Checkout session ID", value: detail.session_id },
            {
              name: "Events",
              value: <RouteLink to={`${href("events")}?object_id=${detail.id}`}>View events</RouteLink>,
            },
          ]}
        />
      </Section>
      {Object.keys(detail.metadata).length > 0 && (
        <Section title="Metadata">
          <DescriptionList facts={Object.entries(detail.metadata).map(([name, value]) => ({ name, value }))} />
        </Section>
      )}
      <Section title="Timeline">
        <Stack>
          {detail.is_cut && (
            <Alert color="gray" variant="outline">
              This payment has too many entries to show. The oldest refunds and events are left out.
            </Alert>
          )}
          <PaymentTimeline payment={detail} />
        </Stack>
      </Section>
      {action !== null && <PaymentDialog payment={detail} action={action} onClose={() => setAction(null)} />}
    </Page>
  );
}

function Actions({ payment, onChoose }: { payment: PaymentDetail; onChoose: (action: PaymentAction) => void }) {
  const { may } = useDesk();
  if (!may("payments.manage")) return null;
  const { status, amount_captured, amount_refunded } = payment;
  return (
    <>
      {status === "authorized" && <Button onClick={() => onChoose("capture")}>Capture</Button>}
      {status === "authorized" && (
        <Button variant="default" onClick={() => onChoose("cancel")}>
          Cancel
        </Button>
      )}
      {status === "succeeded" && amount_refunded < amount_captured && (
        <Button variant="default" onClick={() => onChoose("refund")}>
          Refund
        </Button>
      )}
    </>
  );
}

function isUnderWay({ status, timeline }: PaymentDetail): boolean {
  return (
    status === "processing" ||
    timeline.some((entry) => {
      if (entry.type === "refund") return entry.refund.status === "processing";
      return (
        entry.type === "event" &&
        entry.deliveries.some((delivery) => delivery.status === "pending" && delivery.tries === 0)
      );
    })
  );
}
