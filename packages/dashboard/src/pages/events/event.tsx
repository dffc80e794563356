/** One event: its payload and its deliveries. */
import { useParams } from "wouter";
import type { CheckoutSession } from "@oriel/protocol/api";
import type { EventDelivery, EventDetail } from "@oriel/protocol/dashboard/payments";
import { useWorkspace, useWorkspaceQuery } from "../../api/workspace.tsx";
import { CopyBlock, CopyLine } from "../../parts/copy-text.tsx";
import { DateTime } from "../../parts/date-time.tsx";
import { DescriptionList, type Fact } from "../../parts/description-list.tsx";
import { Loaded } from "../../parts/loaded.tsx";
import { Money } from "../../parts/money.tsx";
import { Page } from "../../parts/page.tsx";
import { RecordId } from "../../parts/record-id.tsx";
import { RouteLink } from "../../parts/route-link.tsx";
import { Section } from "../../parts/section.tsx";
import { sentence } from "../payments/payment-labels.tsx";
import { DeliveryTable } from "./delivery-table.tsx";
import { meaningOf } from "./event-types.ts";
import { Redeliver } from "./redeliver.tsx";

export function Event() {
  const { id = "" } = useParams();
  const workspace = useWorkspace();
  const first = useWorkspaceQuery<EventDetail>(`events/${id}`);
  const isUnderWay = first.data?.deliveries.some(({ status, tries }) => status === "pending" && tries < 2) ?? false;
  const event = useWorkspaceQuery<EventDetail>(`events/${id}`, isUnderWay ? { refetchInterval: 3_000 } : {});
  if (event.data === undefined)
    return (
      <Page title="Event">
        <Loaded query={event}>{() => null}</Loaded>
      </Page>
    );
  const { event: body, deliveries } = event.data;
  const objectId = idOf(body.data.object);
  return (
    <Page title={body.type} lead={meaningOf(body.type) ?? undefined}>
      <Section title="Details">
        <DescriptionList
          facts={[
            { name: "Event ID", value: <CopyLine text={body.id} what="event ID" /> },
            { name: "Date", value: <DateTime at={body.created} /> },
            {
              name: "Object ID",
              value: objectId === null ? null : <RecordId id={objectId} what="object ID" />,
            },
            ...(body.type === "checkout_session.completed" || body.type === "checkout_session.expired"
              ? sessionFacts(body.data.object)
              : []),
            { name: "Sequence number", value: body.object_sequence },
            {
              name: "Request ID",
              value: body.request.id === null ? null : <RecordId id={body.request.id} what="request ID" />,
            },
            { name: "Idempotency key", value: body.request.idempotency_key },
          ]}
        />
      </Section>
      <Section title="Deliveries" actions={workspace.may("payments.manage") && <Redeliver eventId={id} />}>
        <DeliveryTable
          deliveries={deliveries}
          place={({ webhook_endpoint_id, url }: EventDelivery) =>
            workspace.may("developing") ? (
              <RouteLink to={workspace.href(`webhooks/${webhook_endpoint_id}`)}>{url}</RouteLink>
            ) : (
              url
            )
          }
          placeName="Endpoint"
          empty="No endpoint was subscribed to this event type."
          action={
            workspace.may("payments.manage")
              ? ({ webhook_endpoint_id }) => <Redeliver eventId={id} endpointId={webhook_endpoint_id} />
              : null
          }
        />
      </Section>
      <Section title="Payload">
        <CopyBlock text={JSON.stringify(body, null, 2)} what="event payload" />
      </Section>
    </Page>
  );
}

/** Sessions without a charge aren't in the list of payments. One that only saves a card has no total. */
function sessionFacts({ mode, status, payment_status, amount, currency }: CheckoutSession): Fact[] {
  const hasTotal = mode === "payment" && amount !== null && currency !== null;
  return [
    { name: "Session", value: sentence(status) },
    { name: "Payment", value: mode === "payment" ? sentence(payment_status) : null },
    { name: "Total", value: hasTotal ? <Money amount={amount} currency={currency} /> : null },
  ];
}

function idOf(object: unknown): string | null {
  return typeof object === "object" && object !== null && "id" in object && typeof object.id === "string"
    ? object.id
    : null;
}
