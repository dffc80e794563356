/**
 * Everything that happened to a payment, oldest first.
 */
import { Text, Timeline } from "@mantine/core";
import {
  IconArrowBackUp,
  IconBell,
  IconBuildingBank,
  IconCircleX,
  IconGavel,
  IconRepeat,
  IconShieldCheck,
  IconShoppingCart,
} from "@tabler/icons-react";
import type { ComponentType } from "react";
import type { AttemptInfo, PaymentDetail, TimelineEntry } from "@oriel/protocol/dashboard/payments";
import { DateTime } from "../../parts/date-time.tsx";
import { DescriptionList, type Fact } from "../../parts/description-list.tsx";
import { Money } from "../../parts/money.tsx";
import { RecordId } from "../../parts/record-id.tsx";
import { DeliverySummary } from "../events/delivery-labels.tsx";
import { brandName, sentence } from "./payment-labels.tsx";

interface Entry {
  title: string;
  Icon: ComponentType<{ size?: number; "aria-hidden"?: boolean }>;
  facts: readonly Fact[];
}

export function PaymentTimeline({ payment }: { payment: PaymentDetail }) {
  return (
    <Timeline bulletSize={26} lineWidth={2} active={payment.timeline.length} color="gray.7" role="list">
      {payment.timeline.map((entry, position) => {
        const { title, Icon, facts } = describe(entry, payment.currency);
        return (
          <Timeline.Item key={position} bullet={<Icon size={14} aria-hidden />} title={title} role="listitem">
            <Text size="xs" c="dimmed" mb={6}>
              <DateTime at={entry.at} />
            </Text>
            <DescriptionList facts={facts} />
          </Timeline.Item>
        );
      })}
    </Timeline>
  );
}

function describe(entry: TimelineEntry, currency: string): Entry {
  switch (entry.type) {
    case "session_created": {
      const { id, amount, description, capture_method, confirmation, customer, return_url } = entry.session;
      return {
        title: "Checkout session created",
        Icon: IconShoppingCart,
        facts: [
          { name: "Session ID", value: <RecordId id={id} what={`session ID ${id}`} /> },
          { name: "Amount", value: amount === null ? null : <Money amount={amount} currency={currency} /> },
          { name: "Description", value: description },
          { name: "Customer", value: customer?.email ?? customer?.name },
          { name: "Customer reference", value: customer?.reference },
          { name: "Capture method", value: capture_method === null ? null : sentence(capture_method) },
          { name: "Confirmed by", value: confirmation === "server" ? "Your server" : "Checkout form" },
          { name: "Return URL", value: return_url },
        ],
      };
    }
    case "earlier_try": {
      const { id, brand, last4, failure } = entry.payment;
      return {
        title: "Earlier payment failed",
        Icon: IconRepeat,
        facts: [
          { name: "Payment ID", value: <RecordId id={id} what={`payment ID ${id}`} /> },
          { name: "Card", value: brand === null ? null : `${brandName(brand)} ending in ${last4 ?? ""}` },
          { name: "Decline reason", value: failure === null ? null : sentence(failure.decline_code) },
        ],
      };
    }
    case "decision": {
      const { id, status, risk, three_d_secure, decline_code } = entry.decision;
      return {
        title: `Decision: ${sentence(status).toLowerCase()}`,
        Icon: IconGavel,
        facts: [
          { name: "Decision ID", value: <RecordId id={id} what={`decision ID ${id}`} isHere /> },
          { name: "Risk level", value: sentence(risk.level) },
          { name: "Risk rules triggered", value: risk.reasons.map(sentence).join(", ") },
          { name: "3-D Secure", value: three_d_secure === null ? "Not run" : sentence(three_d_secure.result) },
          {
            name: "Liability",
            value: three_d_secure === null ? null : three_d_secure.liability_shift ? "Card issuer" : "You",
          },
          { name: "Decline reason", value: decline_code === null ? null : sentence(decline_code) },
        ],
      };
    }
    case "authentication": {
      const {
        id,
        version,
        flow,
        result,
        status,
        eci,
        trans_status,
        trans_status_reason,
        liability_shift,
        cardholder_info,
        is_step_up,
      } = entry.authentication;
      return {
        title: is_step_up ? "3-D Secure, required by the issuer" : "3-D Secure",
        Icon: IconShieldCheck,
        facts: [
          {
            name: "Result",
            value: result === null ? `In progress: ${sentence(status).toLowerCase()}` : sentence(result),
          },
          {
            name: "Challenge",
            value: flow === null ? "None" : flow === "challenge" ? "In the checkout" : "In the bank's app",
          },
          { name: "Version", value: version },
          { name: "ECI", value: eci },
          {
            name: "Transaction status",
            value: [trans_status, trans_status_reason].filter((part) => part !== null).join(", reason "),
          },
          { name: "Liability", value: liability_shift ? "Card issuer" : "You" },
          { name: "Message from the issuer", value: cardholder_info },
          { name: "Transaction ID", value: <RecordId id={id} what={`transaction ID ${id}`} isHere /> },
        ],
      };
    }
    case "authorization":
    case "capture":
    case "cancellation":
    case "reversal":
      return { title: attemptTitles[entry.type], Icon: IconBuildingBank, facts: factsOf(entry.attempt, currency) };
    case "refund": {
      const { id, amount, reason, status } = entry.refund;
      return {
        title: "Refund",
        Icon: status === "failed" ? IconCircleX : IconArrowBackUp,
        facts: [
          { name: "Refund ID", value: <RecordId id={id} what={`refund ID ${id}`} isHere /> },
          { name: "Amount", value: <Money amount={amount} currency={currency} /> },
          { name: "Status", value: sentence(status) },
          { name: "Reason", value: reason },
          ...(entry.attempt === null ? [] : factsOf(entry.attempt, currency).filter(({ name }) => name !== "Amount")),
        ],
      };
    }
    case "event":
      return {
        title: entry.event.type,
        Icon: IconBell,
        facts: [
          {
            name: "Event ID",
            value: <RecordId id={entry.event.id} what={`event ID ${entry.event.id}`} />,
          },
          { name: "Deliveries", value: <DeliverySummary deliveries={entry.deliveries} /> },
        ],
      };
  }
}

const attemptTitles = {
  authorization: "Authorization",
  capture: "Capture",
  cancellation: "Cancellation",
  reversal: "Reversal",
} as const;

const reversals: Readonly<Record<NonNullable<AttemptInfo["reversal"]>, string>> = {
  reference: "The outcome of the authorization is unknown",
  cancel: "Approved too late, so it's canceled",
  refund: "Approved too late, so it's refunded",
};

function factsOf(attempt: AttemptInfo, currency: string): readonly Fact[] {
  const { id, status, amount, calls, decline_code, is_step_up, next_call, acquirer_id } = attempt;
  const { accepted, reversal, refusal_reason, refusal_code } = attempt;
  return [
    { name: "Outcome", value: status === "processing" && accepted !== null ? "Pending" : sentence(status) },
    { name: "Cause", value: reversal === null ? null : reversals[reversal] },
    { name: "Accepted by the acquirer", value: accepted === null ? null : <DateTime at={accepted} /> },
    { name: "Amount", value: <Money amount={amount} currency={currency} /> },
    { name: "Decline reason", value: decline_code === null ? null : sentence(decline_code) },
    {
      name: "Issuer's response",
      value: [refusal_reason, refusal_code].filter((part) => part !== null).join(", code "),
    },
    { name: "After step-up 3-D Secure", value: is_step_up ? "Yes" : null },
    { name: "Requests to the acquirer", value: calls },
    { name: "Next check", value: next_call === null ? null : <DateTime at={next_call} /> },
    { name: "Authorization code", value: attempt.authorization_code },
    { name: "AVS result", value: attempt.avs_result },
    { name: "CVC result", value: attempt.cvc_result },
    { name: "Attempt ID", value: <RecordId id={id} what={`attempt ID ${id}`} isHere /> },
    {
      name: "Acquirer's ID",
      value: acquirer_id === null ? null : <RecordId id={acquirer_id} what={`acquirer's ID ${acquirer_id}`} isHere />,
    },
    { name: "Network transaction ID", value: attempt.network_transaction_id },
  ];
}
