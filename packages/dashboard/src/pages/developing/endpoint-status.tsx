/** Whether events are sent to an endpoint, and why not. */
import type { WebhookEndpoint } from "@oriel/protocol/api";
import { Tag } from "../../parts/tag.tsx";

export function EndpointStatus({ status, failing_since }: Pick<WebhookEndpoint, "status" | "failing_since">) {
  if (status === "disabled") return <Tag tone="plain">Disabled</Tag>;
  return failing_since === null ? <Tag tone="good">Enabled</Tag> : <Tag tone="bad">Failing</Tag>;
}

const reasons: Readonly<Record<NonNullable<WebhookEndpoint["disabled_reason"]>, string>> = {
  requested: "Somebody of the team disabled it.",
  gone: "It answered 410 Gone, which says that it does not want events any more.",
  failing: "For five days it gave nothing but failures.",
};

export function whyDisabled({ disabled_reason }: Pick<WebhookEndpoint, "disabled_reason">): string | null {
  return disabled_reason === null ? null : reasons[disabled_reason];
}
