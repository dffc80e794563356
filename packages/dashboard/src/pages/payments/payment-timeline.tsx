/**
 * All that happened about a payment, oldest first. Each entry is what the service recorded, under a heading of a few
 * words.
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
import type { AttemptInfo, PaymentDetail, TimelineEntry } from "@oriel/protocol/dashboard-payments";
import { useDesk } from "../../api/desk.tsx";
import { Facts, type Fact } from "../../parts/facts.tsx";
import { Moment } from "../../parts/moment.tsx";
import { Money } from "../../parts/money.tsx";
import { RouteLink } from "../../parts/route-link.tsx";
import { DeliverySummary } from "../events/delivery-words.tsx";
import { sentence } from "./payment-words.tsx";

interface Told {
  title: string;
  Icon: ComponentType<{ size?: number; "aria-hidden"?: boolean }>;
  facts: readonly Fact[];
}

export function PaymentTimeline({ payment }: { payment: PaymentDetail }) {
  const { href } = useDesk();
  return (
    <Timeline bulletSize={26} lineWidth={2} active={payment.timeline.length} color="gray.7" role="list">
      {payment.timeline.map((entry, position) => {
        const { title, Icon, facts } = tell(entry, payment.currency, href);
        return (
          <Timeline.Item key={position} bullet={<Icon size={14} aria-hidden />} title={title} role="listitem">
            <Text size="xs" c="dimmed" mb={6}>
              <Moment at={entry.at} />
            </Text>
            <Facts facts={facts} />
          </Timeline.Item>
        );
      })}
    </Timeline>
  );
}

function tell(entry: TimelineEntry, currency: string, href: (page: string) => string): Told {
  switch (entry.type) {
    case "session_created": {
      const { id, amount, description, capture_method, confirmation, customer, return_url } = entry.session;
      return {
        title: "Checkout session created",
        Icon: IconShoppingCart,
        facts: [
          { name: "Session", value: id },
          { name: "Amount", value: amount === null ? null : <Money amount={amount} currency={currency} /> },
          { name: "Description", value: description },
          { name: "Customer", value: customer?.email ?? customer?.name },
          { name: "Customer reference", value: customer?.reference },
          { name: "Capture", value: capture_method === null ? null : sentence(capture_method) },
          { name: "Confirmed by", value: confirmation === "server" ? "Your server" : "The frame" },
          { name: "Return address", value: return_url },
        ],
      };
    }
    case "earlier_try": {
      const { id, brand, last4, failure } = entry.payment;
      return {
        title: "An earlier try failed",
        Icon: IconRepeat,
        facts: [
          { name: "Payment", value: <RouteLink to={href(`payments/${id}`)}>{id}</RouteLink> },
          { name: "Card", value: brand === null ? null : `${sentence(brand)} ending ${last4 ?? ""}` },
          { name: "Why", value: failure === null ? null : sentence(failure.decline_code) },
        ],
      };
    }
    case "decision": {
      const { id, status, risk, three_d_secure, decline_code } = entry.decision;
      return {
        title: `Decision: ${sentence(status).toLowerCase()}`,
        Icon: IconGavel,
        facts: [
          { name: "Decision", value: id },
          { name: "Risk", value: sentence(risk.level) },
          { name: "Rules that spoke", value: risk.reasons.map(sentence).join(", ") },
          { name: "3-D Secure", value: three_d_secure === null ? "Did not run" : sentence(three_d_secure.result) },
          {
            name: "Liability",
            value:
              three_d_secure === null ? null : three_d_secure.liability_shift ? "With the card's bank" : "With you",
          },
          { name: "Why declined", value: decline_code === null ? null : sentence(decline_code) },
        ],
      };
    }
    case "authentication": {
      const {
        id,
        version,
        asked,
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
        title: is_step_up ? "3-D Secure, because the bank asked for it" : "3-D Secure",
        Icon: IconShieldCheck,
        facts: [
          {
            name: "Result",
            value: result === null ? `Under way: ${sentence(status).toLowerCase()}` : sentence(result),
          },
          {
            name: "Customer asked",
            value: asked === null ? "No" : asked === "challenge" ? "In the page" : "In the bank's app",
          },
          { name: "Version", value: version },
          { name: "ECI", value: eci },
          {
            name: "Bank's status",
            value: [trans_status, trans_status_reason].filter((part) => part !== null).join(", reason "),
          },
          { name: "Liability", value: liability_shift ? "With the card's bank" : "With you" },
          { name: "The bank tells the customer", value: cardholder_info },
          { name: "Transaction", value: id },
        ],
      };
    }
    case "authorization":
    case "capture":
    case "cancellation":
      return { title: attemptTitles[entry.type], Icon: IconBuildingBank, facts: factsOf(entry.attempt, currency) };
    case "refund": {
      const { id, amount, reason, status } = entry.refund;
      return {
        title: "Refund",
        Icon: status === "failed" ? IconCircleX : IconArrowBackUp,
        facts: [
          { name: "Refund", value: id },
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
          { name: "Event", value: <RouteLink to={href(`events/${entry.event.id}`)}>{entry.event.id}</RouteLink> },
          { name: "Deliveries", value: <DeliverySummary deliveries={entry.deliveries} /> },
        ],
      };
  }
}

const attemptTitles = {
  authorization: "The bank was asked for the money",
  capture: "Capture",
  cancellation: "Cancellation",
} as const;

function factsOf(attempt: AttemptInfo, currency: string): readonly Fact[] {
  const { id, status, amount, times_asked, decline_code, is_step_up, next_ask } = attempt;
  return [
    { name: "Bank's answer", value: sentence(status) },
    { name: "Amount", value: <Money amount={amount} currency={currency} /> },
    { name: "Why declined", value: decline_code === null ? null : sentence(decline_code) },
    { name: "After a second authentication", value: is_step_up ? "Yes" : null },
    { name: "Times asked", value: times_asked },
    { name: "Asked again", value: next_ask === null ? null : <Moment at={next_ask} /> },
    { name: "Attempt", value: id },
  ];
}
