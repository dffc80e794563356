/** The texts that describe deliveries. */
import { Stack, Text } from "@mantine/core";
import type { Delivery } from "@oriel/protocol/api";
import type { EventDelivery } from "@oriel/protocol/dashboard-payments";
import { Tag, type Tone } from "../../parts/tag.tsx";

const tags: Readonly<Record<Delivery["status"], { tone: Tone; word: string }>> = {
  succeeded: { tone: "good", word: "Delivered" },
  pending: { tone: "waiting", word: "Pending" },
  failed: { tone: "bad", word: "Failed" },
};

export function DeliveryStatus({ status }: { status: Delivery["status"] }) {
  const { tone, word } = tags[status];
  return <Tag tone={tone}>{word}</Tag>;
}

/** The outcome of the last attempt in a few words. */
export function lastAttempt({ last_try }: Pick<Delivery, "last_try">): string {
  if (last_try === null) return "Not sent yet";
  const { response_status, failure, duration_ms } = last_try;
  const outcome =
    response_status === null ? (failure === null ? "No response" : failures[failure]) : `HTTP ${response_status}`;
  return `${outcome}, ${duration_ms} ms`;
}

type Failure = NonNullable<NonNullable<Delivery["last_try"]>["failure"]>;

const failures: Readonly<Record<Failure, string>> = {
  response_status: "Response other than 2xx",
  timeout: "Timed out",
  connection: "Connection failed",
  tls: "TLS connection failed",
  name_not_resolved: "Host not found",
  address_not_allowed: "IP address not allowed",
  endpoint_disabled: "Endpoint disabled",
  not_sent: "Not sent",
};

export function DeliverySummary({ deliveries }: { deliveries: readonly EventDelivery[] }) {
  if (deliveries.length === 0) return <Text size="sm">No endpoint subscribes to this event type</Text>;
  return (
    <Stack gap={4}>
      {deliveries.map((delivery) => (
        <div key={delivery.id}>
          <DeliveryStatus status={delivery.status} /> <span className="break-anywhere">{delivery.url}</span>
        </div>
      ))}
    </Stack>
  );
}
