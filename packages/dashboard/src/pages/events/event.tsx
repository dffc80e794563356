/** One event: its payload and its deliveries. */
import { useParams } from "wouter";
import type { EventDelivery, EventDetail } from "@oriel/protocol/dashboard/payments";
import { useWorkspace, useWorkspaceQuery } from "../../api/workspace.tsx";
import { CopyBlock, CopyLine } from "../../parts/copy-text.tsx";
import { DateTime } from "../../parts/date-time.tsx";
import { DescriptionList } from "../../parts/description-list.tsx";
import { Loaded } from "../../parts/loaded.tsx";
import { Page } from "../../parts/page.tsx";
import { RecordId } from "../../parts/record-id.tsx";
import { RouteLink } from "../../parts/route-link.tsx";
import { Section } from "../../parts/section.tsx";
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

function idOf(object: unknown): string | null {
  return typeof object === "object" && object !== null && "id" in object && typeof object.id === "string"
    ? object.id
    : null;
}
