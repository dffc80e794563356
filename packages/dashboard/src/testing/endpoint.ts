/** A webhook endpoint for tests. */
import type { EndpointWithHealth } from "@oriel/protocol/dashboard/setup";

export const endpoint: EndpointWithHealth = {
  id: "we_1",
  object: "webhook_endpoint",
  livemode: false,
  created: 1_800_000_000,
  url: "https://kiln.example/webhooks",
  description: null,
  enabled_events: ["payment.succeeded"],
  status: "enabled",
  disabled_reason: null,
  failing_since: null,
  previous_secret_expires_at: null,
  last_attempt: null,
};
