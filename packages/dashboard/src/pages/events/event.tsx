/** One event: its body as it was sent, and how each delivery went. */
import { Button } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useParams } from "wouter";
import type { Redelivery } from "@oriel/protocol/api";
import type { EventDelivery, EventDetail } from "@oriel/protocol/dashboard-payments";
import { ask } from "../../api/ask.ts";
import { useDesk, useDeskQuery } from "../../api/desk.tsx";
import { useOneWish } from "../../api/use-one-wish.ts";
import { CopyBlock, CopyLine } from "../../parts/copy-text.tsx";
import { Facts } from "../../parts/facts.tsx";
import { Loaded } from "../../parts/loaded.tsx";
import { Moment } from "../../parts/moment.tsx";
import { Page } from "../../parts/page.tsx";
import { RefusalAlert } from "../../parts/refusal-alert.tsx";
import { RouteLink } from "../../parts/route-link.tsx";
import { Section } from "../../parts/section.tsx";
import { DeliveryTable } from "./delivery-table.tsx";
import { meaningOf } from "./event-types.ts";

export function Event() {
  const { id = "" } = useParams();
  const desk = useDesk();
  const first = useDeskQuery<EventDetail>(`events/${id}`);
  const isUnderWay = first.data?.deliveries.some(({ status, tries }) => status === "pending" && tries < 2) ?? false;
  const event = useDeskQuery<EventDetail>(`events/${id}`, isUnderWay ? { refetchInterval: 3_000 } : {});
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
        <Facts
          facts={[
            { name: "Event", value: <CopyLine text={body.id} what="the event's id" /> },
            { name: "Date", value: <Moment at={body.created} /> },
            {
              name: "About",
              value: objectId?.startsWith("ch_") ? (
                <RouteLink to={desk.href(`payments/${objectId}`)}>{objectId}</RouteLink>
              ) : (
                objectId
              ),
            },
            { name: "Which of its events", value: body.object_sequence },
            { name: "Request", value: body.request.id },
            { name: "Idempotency key", value: body.request.idempotency_key },
          ]}
        />
      </Section>
      <Section title="Deliveries" actions={desk.may("payments.manage") && <Redeliver eventId={id} />}>
        <DeliveryTable
          deliveries={deliveries}
          place={({ webhook_endpoint_id, url }: EventDelivery) =>
            desk.may("developing") ? <RouteLink to={desk.href(`webhooks/${webhook_endpoint_id}`)}>{url}</RouteLink> : url
          }
          placeName="Endpoint"
          empty="No endpoint asked for this type when it happened."
          action={
            desk.may("payments.manage")
              ? ({ webhook_endpoint_id }) => <Redeliver eventId={id} endpointId={webhook_endpoint_id} />
              : null
          }
        />
      </Section>
      <Section title="Body">
        <CopyBlock text={JSON.stringify(body, null, 2)} what="the event's body" />
      </Section>
    </Page>
  );
}

/** To one endpoint, or to every one that wants it. */
function Redeliver({ eventId, endpointId }: { eventId: string; endpointId?: string }) {
  const desk = useDesk();
  const client = useQueryClient();
  const wish = useOneWish();
  const sending = useMutation({
    mutationFn: () =>
      ask<Redelivery>(desk.data(`events/${eventId}/redeliver`), {
        method: "POST",
        idempotencyKey: wish.key,
        body: endpointId === undefined ? {} : { endpoint_id: endpointId },
      }),
    onSuccess: ({ deliveries }) => {
      notifications.show({ message: deliveries === 0 ? "No enabled endpoint wants this type." : "It is on its way again." });
      wish.done();
    },
    onError: wish.failed,
    onSettled: () => client.invalidateQueries({ queryKey: desk.key("events") }),
  });
  return (
    <>
      <RefusalAlert error={sending.error} />
      <Button size="compact-xs" variant="default" onClick={() => sending.mutate()} loading={sending.isPending}>
        {endpointId === undefined ? "Send to all again" : "Send again"}
      </Button>
    </>
  );
}

function idOf(object: unknown): string | null {
  return typeof object === "object" && object !== null && "id" in object && typeof object.id === "string" ? object.id : null;
}
