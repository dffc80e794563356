/** The webhook endpoints of this mode. */
import { Button, Text } from "@mantine/core";
import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import type { CreatedWebhookEndpoint } from "@oriel/protocol/api";
import type { EndpointWithHealth } from "@oriel/protocol/dashboard/setup";
import { useWorkspace, useWorkspaceList } from "../../api/workspace.tsx";
import { DateTime } from "../../parts/date-time.tsx";
import { Page } from "../../parts/page.tsx";
import { PagedTable } from "../../parts/record-table.tsx";
import { RouteLink } from "../../parts/route-link.tsx";
import { SecretOnce } from "../../parts/secret-once.tsx";
import { outcomeOf } from "../events/delivery-labels.tsx";
import { EndpointDialog } from "./endpoint-dialog.tsx";
import { EndpointStatus } from "./endpoint-status.tsx";
import { WebhookHealth } from "./webhook-health.tsx";

export const secretAdvice =
  "Your server uses this secret to verify that webhooks come from Oriel. Store it with your server's secrets.";

export function Webhooks() {
  const workspace = useWorkspace();
  const client = useQueryClient();
  const endpoints = useWorkspaceList<EndpointWithHealth>("webhook_endpoints");
  const [isCreating, setIsCreating] = useState(false);
  const [secret, setSecret] = useState<string | null>(null);
  return (
    <Page
      title="Webhooks"
      lead="Oriel sends signed events to these endpoints. Only a webhook proves that an order is paid."
      actions={<Button onClick={() => setIsCreating(true)}>Add endpoint</Button>}
    >
      <WebhookHealth endpoints={endpoints.data?.pages.flatMap(({ data }) => data) ?? []} />
      <PagedTable
        label="Webhook endpoints"
        query={endpoints}
        rowKey={({ id }) => id}
        empty="No endpoints yet. Add the URL on your server that marks orders as paid."
        columns={[
          {
            name: "URL",
            cell: ({ id, url }) => (
              <span className="long-cell">
                <RouteLink to={workspace.href(`webhooks/${id}`)}>{url}</RouteLink>
              </span>
            ),
          },
          { name: "Status", cell: (endpoint) => <EndpointStatus {...endpoint} /> },
          {
            name: "Last attempt",
            cell: ({ last_attempt }) =>
              last_attempt === null ? (
                "None yet"
              ) : (
                <>
                  {outcomeOf(last_attempt)}
                  <Text size="xs" c="dimmed">
                    <DateTime at={last_attempt.at} />
                  </Text>
                </>
              ),
          },
          {
            name: "Events",
            cell: ({ enabled_events }) => (enabled_events === null ? "All types" : enabled_events.length),
          },
          { name: "Description", cell: ({ description }) => <span className="long-cell">{description}</span> },
        ]}
      />
      {isCreating && (
        <EndpointDialog
          endpoint={null}
          onClose={() => setIsCreating(false)}
          onDone={(made) => {
            setIsCreating(false);
            setSecret((made as CreatedWebhookEndpoint).secret); // the response to creating an endpoint
            void client.invalidateQueries({ queryKey: workspace.key("webhook_endpoints") });
          }}
        />
      )}
      <SecretOnce
        secret={secret}
        title="Signing secret"
        what="webhook signing secret"
        advice={secretAdvice}
        isLast={false}
        onClose={() => setSecret(null)}
      />
    </Page>
  );
}
