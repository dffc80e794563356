/** Sends an event again, to one endpoint or to every one that wants it. */
import { Button } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import type { Redelivery } from "@oriel/protocol/api";
import { ask } from "../../api/ask.ts";
import { useDesk } from "../../api/desk.tsx";
import { useOneWish } from "../../api/use-one-wish.ts";
import { RefusalAlert } from "../../parts/refusal-alert.tsx";

export function Redeliver({ eventId, endpointId }: { eventId: string; endpointId?: string }) {
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
      notifications.show({
        message: deliveries === 0 ? "No enabled endpoint wants this type." : "It is on its way again.",
      });
      wish.done();
    },
    onError: wish.failed,
    // The delivery stands with its event and with its endpoint.
    onSettled: () =>
      Promise.all(
        ["events", "webhook_endpoints"].map((path) => client.invalidateQueries({ queryKey: desk.key(path) })),
      ),
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
