/** The texts that describe deliveries. */
import { Stack, Text } from "@mantine/core";
import type { Delivery } from "@oriel/protocol/api";
import type { EventDelivery } from "@oriel/protocol/dashboard/payments";
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
  return last_try === null ? "Not sent yet" : `${outcomeOf(last_try)}, ${last_try.duration_ms} ms`;
}

type Attempt = NonNullable<Delivery["last_try"]>;
type Failure = NonNullable<Attempt["failure"]>;

/** @example "HTTP 500" */
export function outcomeOf({ response_status, failure }: Pick<Attempt, "response_status" | "failure">): string {
  if (response_status !== null) return `HTTP ${response_status}`;
  return failure === null ? "No response" : failures[failure];
}

/** What to do about a failed attempt. */
export function adviceFor(failure: Attempt["failure"]): string {
  return failure === null ? advice.connection : advice[failure];
}

const advice: Readonly<Record<Failure, string>> = {
  response_status: "Find the error in your server's log, and respond with a 2xx status.",
  timeout: "Respond with a 2xx status first, and do slow work afterwards.",
  connection: "Check that your server is running and accepts connections from the internet.",
  tls: "Check your server's certificate: it may have expired or not match the host.",
  name_not_resolved: "Check the host in the endpoint's URL.",
  address_not_allowed: "Use a URL with a public IP address.",
  endpoint_disabled: "Enable the endpoint.",
  not_sent: "Send a ping to try again.",
};

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
