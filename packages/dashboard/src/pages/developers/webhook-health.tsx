/** Says at a glance whether webhooks arrive, and if not, why and what to do. */
import { Alert, Text } from "@mantine/core";
import type { EndpointWithHealth } from "@oriel/protocol/dashboard/setup";
import { useWorkspace } from "../../api/workspace.tsx";
import { DateTime } from "../../parts/date-time.tsx";
import { RouteLink } from "../../parts/route-link.tsx";
import { adviceFor, outcomeOf } from "../events/delivery-labels.tsx";

interface Endpoints {
  endpoints: readonly EndpointWithHealth[];
}

export function WebhookHealth({ endpoints }: Endpoints) {
  if (endpoints.length === 0) return null;
  const enabled = endpoints.filter(({ status }) => status === "enabled");
  const latest = Math.max(...enabled.map(({ last_attempt }) => last_attempt?.at ?? 0));
  if (enabled.some(isFailing)) return <FailingEndpoints endpoints={endpoints} />;
  if (enabled.length === 0)
    return (
      <Alert color="yellow" variant="outline" role="status" title="No endpoint is enabled">
        Your server doesn't receive any webhooks. Enable an endpoint.
      </Alert>
    );
  if (latest === 0)
    return (
      <Alert color="gray" variant="outline" role="status" title="Nothing delivered yet">
        To test an endpoint, open it and send a ping.
      </Alert>
    );
  return (
    <Alert color="teal" variant="outline" role="status" title="Webhooks are being delivered">
      Your server accepted the latest webhook: <DateTime at={latest} />.
    </Alert>
  );
}

/** Shows nothing if no endpoint is failing. */
export function FailingEndpoints({ endpoints }: Endpoints) {
  const { href } = useWorkspace();
  const failing = endpoints.filter((endpoint) => endpoint.status === "enabled" && isFailing(endpoint));
  if (failing.length === 0) return null;
  return (
    <Alert
      color="red"
      variant="outline"
      role="status"
      title={`${failing.length} of ${countOf(endpoints)} ${failing.length === 1 ? "is" : "are"} failing`}
    >
      {failing.map((endpoint) => (
        <Text size="sm" key={endpoint.id} className="break-anywhere">
          <RouteLink to={href(`webhooks/${endpoint.id}`)}>{endpoint.url}</RouteLink>: <Cause endpoint={endpoint} />
        </Text>
      ))}
    </Alert>
  );
}

/** For the page of one endpoint. */
export function FailingAlert({ endpoint }: { endpoint: EndpointWithHealth }) {
  if (endpoint.status !== "enabled" || !isFailing(endpoint)) return null;
  return (
    <Alert color="red" variant="outline" title="Deliveries are failing">
      <Cause endpoint={endpoint} /> We retry failed deliveries for up to three days.
    </Alert>
  );
}

export function isFailing({ failing_since }: Pick<EndpointWithHealth, "failing_since">): boolean {
  return failing_since !== null;
}

function Cause({ endpoint: { failing_since, last_attempt } }: { endpoint: EndpointWithHealth }) {
  if (failing_since === null) return null;
  const since = <DateTime at={failing_since} />;
  if (last_attempt === null) return <>failing since {since}.</>;
  return (
    <>
      {outcomeOf(last_attempt)} since {since}. {adviceFor(last_attempt.failure)}
    </>
  );
}

function countOf({ length }: readonly unknown[]): string {
  return length === 1 ? "1 webhook endpoint" : `${length} webhook endpoints`;
}
