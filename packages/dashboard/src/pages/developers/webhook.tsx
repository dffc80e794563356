/** One webhook endpoint: its status, signing secret and deliveries. */
import { Alert, Button, Group, NativeSelect, Stack, Text } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { useLocation, useParams, useSearchParams } from "wouter";
import type { CreatedWebhookEndpoint, Delivery, WebhookEndpoint } from "@oriel/protocol/api";
import type { EndpointWithHealth, RevealedSecret, RotateEndpointSecret } from "@oriel/protocol/dashboard/setup";
import { request } from "../../api/request.ts";
import { useWorkspace, useWorkspaceList, useWorkspaceQuery } from "../../api/workspace.tsx";
import { ConfirmDialog } from "../../parts/confirm-dialog.tsx";
import { CopyLine } from "../../parts/copy-text.tsx";
import { DateTime } from "../../parts/date-time.tsx";
import { DescriptionList } from "../../parts/description-list.tsx";
import { ErrorAlert } from "../../parts/error-alert.tsx";
import { Loaded } from "../../parts/loaded.tsx";
import { Page } from "../../parts/page.tsx";
import { PagedTable } from "../../parts/record-table.tsx";
import { RouteLink } from "../../parts/route-link.tsx";
import { ClearFilters, pickFilters, SearchForm } from "../../parts/search-form.tsx";
import { SecretOnce } from "../../parts/secret-once.tsx";
import { Section } from "../../parts/section.tsx";
import { useDeliveryColumns } from "../events/delivery-table.tsx";
import { Redeliver } from "../events/redeliver.tsx";
import { EndpointDialog } from "./endpoint-dialog.tsx";
import { EndpointStatus, whyDisabled } from "./endpoint-status.tsx";
import { OverlapDialog } from "./overlap-dialog.tsx";
import { FailingAlert } from "./webhook-health.tsx";
import { secretAdvice } from "./webhooks.tsx";

export function Webhook() {
  const { id = "" } = useParams();
  const endpoint = useWorkspaceQuery<EndpointWithHealth>(`webhook_endpoints/${id}`);
  if (endpoint.data === undefined)
    return (
      <Page title="Webhook endpoint">
        <Loaded query={endpoint}>{() => null}</Loaded>
      </Page>
    );
  return <Known endpoint={endpoint.data} />;
}

function Known({ endpoint }: { endpoint: EndpointWithHealth }) {
  const workspace = useWorkspace();
  const client = useQueryClient();
  const [, navigate] = useLocation();
  const [open, setOpen] = useState<"change" | "delete" | null>(null);
  const path = `webhook_endpoints/${endpoint.id}`;
  const reload = () => client.invalidateQueries({ queryKey: workspace.key("webhook_endpoints") });
  const pinging = useMutation({
    mutationFn: () => request(workspace.data(`${path}/test`), { method: "POST", body: {} }),
    onSuccess: () => notifications.show({ message: "Ping sent. It appears below in a moment." }),
    onSettled: reload,
  });
  const switching = useMutation({
    mutationFn: (status: WebhookEndpoint["status"]) =>
      request(workspace.data(path), { method: "PATCH", body: { status } }),
    onSettled: reload,
  });
  const isEnabled = endpoint.status === "enabled";
  return (
    <Page
      title={endpoint.url}
      lead={<EndpointStatus {...endpoint} />}
      actions={
        <>
          <Button variant="default" onClick={() => pinging.mutate()} loading={pinging.isPending} disabled={!isEnabled}>
            Send ping
          </Button>
          <Button variant="default" onClick={() => setOpen("change")}>
            Edit
          </Button>
          <Button
            variant="default"
            onClick={() => switching.mutate(isEnabled ? "disabled" : "enabled")}
            loading={switching.isPending}
          >
            {isEnabled ? "Disable" : "Enable"}
          </Button>
          <Button variant="default" onClick={() => setOpen("delete")}>
            Delete
          </Button>
        </>
      }
    >
      <ErrorAlert error={pinging.error ?? switching.error} />
      <FailingAlert endpoint={endpoint} />
      {!isEnabled && (
        <Alert color="gray" variant="outline" title="Endpoint disabled">
          {whyDisabled(endpoint)} Enable it to receive events again.
        </Alert>
      )}
      <Section title="Details">
        <DescriptionList
          facts={[
            { name: "Endpoint ID", value: <CopyLine text={endpoint.id} what="endpoint ID" /> },
            { name: "Description", value: endpoint.description },
            {
              name: "Events",
              value: endpoint.enabled_events === null ? "All event types" : endpoint.enabled_events.join(", "),
            },
            {
              name: "Failing since",
              value: endpoint.failing_since === null ? null : <DateTime at={endpoint.failing_since} />,
            },
            { name: "Created", value: <DateTime at={endpoint.created} /> },
          ]}
        />
      </Section>
      <SigningSecret endpoint={endpoint} onRotated={() => void reload()} />
      <Deliveries endpoint={endpoint} />
      {open === "change" && (
        <EndpointDialog
          endpoint={endpoint}
          onClose={() => setOpen(null)}
          onDone={() => {
            setOpen(null);
            void reload();
          }}
        />
      )}
      <ConfirmDialog
        isOpen={open === "delete"}
        onClose={() => setOpen(null)}
        title="Delete this endpoint?"
        action="Delete endpoint"
        run={() => request(workspace.data(path), { method: "DELETE" })}
        onDone={() => {
          navigate(workspace.href("webhooks"));
          void reload();
        }}
      >
        No more events are sent to this endpoint, and its signing secret is deleted. You can't undo this.
      </ConfirmDialog>
    </Page>
  );
}

function SigningSecret({ endpoint, onRotated }: { endpoint: WebhookEndpoint; onRotated: () => void }) {
  const workspace = useWorkspace();
  const [secret, setSecret] = useState<string | null>(null);
  /** What the user saw when the dialog was opened. Null while it's closed. */
  const [rotating, setRotating] = useState<Pick<WebhookEndpoint, "previous_secret_expires_at"> | null>(null);
  const path = `webhook_endpoints/${endpoint.id}`;
  const revealing = useMutation({
    mutationFn: () => request<RevealedSecret>(workspace.data(`${path}/reveal`), { method: "POST", body: {} }),
    onSuccess: (data) => setSecret(data.secret),
  });
  return (
    <Section
      title="Signing secret"
      actions={
        <>
          <Button size="xs" variant="default" onClick={() => revealing.mutate()} loading={revealing.isPending}>
            Reveal
          </Button>
          <Button size="xs" variant="default" onClick={() => setRotating(endpoint)}>
            Rotate
          </Button>
        </>
      }
    >
      <Text size="sm">{secretAdvice}</Text>
      {endpoint.previous_secret_expires_at !== null && (
        <Text size="sm" mt="xs">
          Webhooks are also signed with the previous secret until <DateTime at={endpoint.previous_secret_expires_at} />.
        </Text>
      )}
      <ErrorAlert error={revealing.error} />
      {rotating && (
        <OverlapDialog
          title="Rotate signing secret"
          label="Keep old secret valid for"
          action="Rotate secret"
          run={async (overlap) => {
            const { previous_secret_expires_at } = rotating;
            const body: RotateEndpointSecret = { overlap, seen: { previous_secret_expires_at } };
            return await request<CreatedWebhookEndpoint>(workspace.data(`${path}/rotate_secret`), {
              method: "POST",
              body,
            }).finally(onRotated); // also if the response was lost
          }}
          onClose={() => setRotating(null)}
          onDone={(made) => {
            setRotating(null);
            setSecret(made.secret);
          }}
        >
          {`During the overlap, webhooks are signed with both secrets, so your server can switch without missing any.${
            rotating.previous_secret_expires_at === null ? "" : " The secret before the current one stops signing now."
          }`}
        </OverlapDialog>
      )}
      <SecretOnce
        secret={secret}
        title="Signing secret"
        what="webhook signing secret"
        advice={secretAdvice}
        isLast={false}
        onClose={() => setSecret(null)}
      />
    </Section>
  );
}

const statuses = ["succeeded", "pending", "failed"] as const satisfies Delivery["status"][];
const statusNames = { succeeded: "Delivered", pending: "Pending", failed: "Failed" } as const;

function Deliveries({ endpoint }: { endpoint: WebhookEndpoint }) {
  const workspace = useWorkspace();
  const [params, setParams] = useSearchParams();
  const status = statuses.find((each) => each === params.get("status"));
  const filters = new URLSearchParams(status === undefined ? {} : { status });
  const deliveries = useWorkspaceList<Delivery>(`webhook_endpoints/${endpoint.id}/deliveries`, filters);
  const { columns, dialog } = useDeliveryColumns<Delivery>({
    placeName: "Event",
    place: ({ event_id, event_type }) => <RouteLink to={workspace.href(`events/${event_id}`)}>{event_type}</RouteLink>,
    // Events can't be resent to a disabled endpoint.
    action:
      workspace.may("payments.manage") && endpoint.status === "enabled"
        ? ({ event_id }) => <Redeliver eventId={event_id} endpointId={endpoint.id} />
        : null,
  });
  return (
    <Section title="Deliveries">
      <Stack>
        <SearchForm
          label="Deliveries"
          values={Object.fromEntries(filters)}
          onSearch={(form) => setParams(pickFilters(form, ["status"]))}
        >
          <Group align="flex-end">
            <NativeSelect
              name="status"
              label="Status"
              data={[{ value: "", label: "Any" }, ...statuses.map((value) => ({ value, label: statusNames[value] }))]}
            />
            <Button type="submit" variant="default">
              Search
            </Button>
            {filters.size > 0 && <ClearFilters onClear={() => setParams({})} />}
          </Group>
        </SearchForm>
        <PagedTable
          label="Deliveries"
          query={deliveries}
          rowKey={({ id }) => id}
          empty={
            status === undefined ? "No deliveries yet. Send a ping to test the endpoint." : "No matching deliveries."
          }
          columns={columns}
        />
        {dialog}
      </Stack>
    </Section>
  );
}
