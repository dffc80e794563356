/** How deliveries are written. */
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

/** What came of the last try, in a few words. */
export function lastTry({ last_try }: Pick<Delivery, "last_try">): string {
  if (last_try === null) return "Not tried yet";
  const { response_status, failure, duration_ms } = last_try;
  const outcome =
    response_status === null ? (failure === null ? "No answer" : failures[failure]) : `Answered ${response_status}`;
  return `${outcome}, ${duration_ms} ms`;
}

type Failure = NonNullable<NonNullable<Delivery["last_try"]>["failure"]>;

const failures: Readonly<Record<Failure, string>> = {
  response_status: "Answered, but not with 2xx",
  timeout: "No answer in time",
  connection: "No connection",
  tls: "No trusted TLS connection",
  name_not_resolved: "The name has no address",
  address_not_allowed: "The address is not allowed",
  endpoint_disabled: "The endpoint is disabled",
  not_sent: "Not sent",
};

export function DeliverySummary({ deliveries }: { deliveries: readonly EventDelivery[] }) {
  if (deliveries.length === 0) return <Text size="sm">No endpoint asks for this type</Text>;
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
