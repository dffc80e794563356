/** The status of an endpoint, and the reason if it's disabled. */
import type { WebhookEndpoint } from "@oriel/protocol/api";
import { Tag } from "../../parts/tag.tsx";

export function EndpointStatus({ status, failing_since }: Pick<WebhookEndpoint, "status" | "failing_since">) {
  if (status === "disabled") return <Tag tone="plain">Disabled</Tag>;
  return failing_since === null ? <Tag tone="good">Enabled</Tag> : <Tag tone="bad">Failing</Tag>;
}

const reasons: Readonly<Record<NonNullable<WebhookEndpoint["disabled_reason"]>, string>> = {
  requested: "A team member disabled this endpoint.",
  gone: "The endpoint responded with 410 Gone, which means that it no longer wants events.",
  failing: "All deliveries to this endpoint failed for five days.",
};

export function whyDisabled({ disabled_reason }: Pick<WebhookEndpoint, "disabled_reason">): string | null {
  return disabled_reason === null ? null : reasons[disabled_reason];
}
