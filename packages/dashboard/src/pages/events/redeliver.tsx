/** Resends an event to one endpoint, or to all endpoints that subscribe to its type. */
import { Button } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import type { Redelivery } from "@oriel/protocol/api";
import { request } from "../../api/request.ts";
import { useIdempotentAction } from "../../api/use-idempotent-action.ts";
import { useWorkspace } from "../../api/workspace.tsx";
import { ErrorAlert } from "../../parts/error-alert.tsx";

export function Redeliver({ eventId, endpointId }: { eventId: string; endpointId?: string }) {
  const workspace = useWorkspace();
  const client = useQueryClient();
  const idempotency = useIdempotentAction();
  const sending = useMutation({
    mutationFn: () =>
      request<Redelivery>(workspace.data(`events/${eventId}/redeliver`), {
        method: "POST",
        idempotencyKey: idempotency.key,
        body: endpointId === undefined ? {} : { endpoint_id: endpointId },
      }),
    onSuccess: ({ deliveries }) => {
      notifications.show({
        message: deliveries === 0 ? "No enabled endpoint subscribes to this event type." : "Event resent",
      });
      idempotency.done();
    },
    onError: (error) => void idempotency.failed(error),
    // Both the event's page and the endpoint's page show the delivery.
    onSettled: () =>
      Promise.all(
        ["events", "webhook_endpoints"].map((path) => client.invalidateQueries({ queryKey: workspace.key(path) })),
      ),
  });
  return (
    <>
      <ErrorAlert error={sending.error} />
      <Button size="compact-xs" variant="default" onClick={() => sending.mutate()} loading={sending.isPending}>
        {endpointId === undefined ? "Resend to all" : "Resend"}
      </Button>
    </>
  );
}
