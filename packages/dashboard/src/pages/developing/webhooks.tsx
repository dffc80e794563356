/** Webhook endpoints of this mode: addresses of the merchant's that events are sent to. */
import { Button } from "@mantine/core";
import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import type { CreatedWebhookEndpoint, WebhookEndpoint } from "@oriel/protocol/api";
import { useDesk, useDeskList } from "../../api/desk.tsx";
import { Moment } from "../../parts/moment.tsx";
import { Page } from "../../parts/page.tsx";
import { PagedTable } from "../../parts/record-table.tsx";
import { RouteLink } from "../../parts/route-link.tsx";
import { SecretOnce } from "../../parts/secret-once.tsx";
import { EndpointDialog } from "./endpoint-dialog.tsx";
import { EndpointStatus } from "./endpoint-status.tsx";

export const secretAdvice =
  "Your server proves with it that a webhook is ours. Put it where your server keeps its secrets.";

export function Webhooks() {
  const desk = useDesk();
  const client = useQueryClient();
  const endpoints = useDeskList<WebhookEndpoint>("webhook_endpoints");
  const [isCreating, setIsCreating] = useState(false);
  const [secret, setSecret] = useState<string | null>(null);
  return (
    <Page
      title="Webhook endpoints"
      lead="Events are sent to these addresses, signed. Only a webhook proves that an order is paid."
      actions={<Button onClick={() => setIsCreating(true)}>Add an endpoint</Button>}
    >
      <PagedTable
        label="Webhook endpoints"
        query={endpoints}
        rowKey={({ id }) => id}
        empty="No endpoint yet. Add the address of your server that marks orders as paid."
        columns={[
          {
            name: "Address",
            cell: ({ id, url }) => (
              <span className="long-cell">
                <RouteLink to={desk.href(`webhooks/${id}`)}>{url}</RouteLink>
              </span>
            ),
          },
          { name: "Status", cell: (endpoint) => <EndpointStatus {...endpoint} /> },
          {
            name: "Events",
            isDetail: true,
            cell: ({ enabled_events }) => (enabled_events === null ? "All" : `${enabled_events.length} types`),
          },
          { name: "Description", isDetail: true, cell: ({ description }) => description ?? "" },
          { name: "Created", isDetail: true, cell: ({ created }) => <Moment at={created} /> },
        ]}
      />
      {isCreating && (
        <EndpointDialog
          endpoint={null}
          onClose={() => setIsCreating(false)}
          onDone={(made) => {
            setIsCreating(false);
            setSecret((made as CreatedWebhookEndpoint).secret); // what creating answers with
            void client.invalidateQueries({ queryKey: desk.key("webhook_endpoints") });
          }}
        />
      )}
      <SecretOnce
        secret={secret}
        title="The endpoint's signing secret"
        what="the signing secret"
        advice={secretAdvice}
        isLast={false}
        onClose={() => setSecret(null)}
      />
    </Page>
  );
}
