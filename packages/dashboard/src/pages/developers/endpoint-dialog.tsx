/** Adds or edits a webhook endpoint: its URL, its event types and a description. */
import { Checkbox, Group, Radio, Stack, TextInput } from "@mantine/core";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import type { WebhookEndpoint } from "@oriel/protocol/api";
import type { ChangeEndpoint } from "@oriel/protocol/dashboard/setup";
import { refetchIfChanged } from "../../api/query-client.ts";
import { request } from "../../api/request.ts";
import { useWorkspace } from "../../api/workspace.tsx";
import { ChangedMeanwhile, Lines } from "../../parts/changed-meanwhile.tsx";
import type { Fact } from "../../parts/description-list.tsx";
import { DialogActions } from "../../parts/dialog-actions.tsx";
import { Dialog } from "../../parts/dialog.tsx";
import { ErrorAlert } from "../../parts/error-alert.tsx";
import { required, showRefusal } from "../../parts/form-errors.ts";
import { useSavedForm } from "../../parts/use-saved-form.ts";
import { subscribableTypes, meaningOf, type SubscribableType } from "../events/event-types.ts";

export interface EndpointDialogProps {
  /** Null to add a new endpoint. */
  endpoint: WebhookEndpoint | null;
  onClose: () => void;
  onDone: (endpoint: WebhookEndpoint) => void;
}

interface Values {
  url: string;
  which: "all" | "some";
  types: SubscribableType[];
  description: string;
}

export function EndpointDialog({ endpoint, onClose, onDone }: EndpointDialogProps) {
  const workspace = useWorkspace();
  const client = useQueryClient();
  const form = useSavedForm(endpoint, valuesOf, {
    validate: {
      url: required("a URL"),
      types: (types, { which }) => (which === "some" && types.length === 0 ? "Select at least one event type." : null),
    },
  });
  const sending = useMutation({
    mutationFn: (values: Values) =>
      endpoint === null
        ? request<WebhookEndpoint>(workspace.data("webhook_endpoints"), { method: "POST", body: newOf(values) })
        : request<WebhookEndpoint>(workspace.data(`webhook_endpoints/${endpoint.id}`), {
            method: "PATCH",
            body: { ...changesOf(values, form.isDirty), ...(form.seen && { seen: seenOf(form.seen) }) },
          }),
    onSuccess: onDone,
    onError: (error) => {
      showRefusal(form, error, { enabled_events: "types" });
      refetchIfChanged(workspace.key("webhook_endpoints"), error);
      // If the response was lost, the new endpoint may exist.
      if (endpoint === null) void client.invalidateQueries({ queryKey: workspace.key("webhook_endpoints") });
    },
  });
  return (
    <Dialog onClose={onClose} title={endpoint === null ? "Add endpoint" : "Edit endpoint"} size="lg">
      <form onSubmit={form.onSubmit((values) => sending.mutate(values))}>
        <Stack>
          <ErrorAlert error={sending.error} inlineFields={["url", "description", "enabled_events"]} />
          <ChangedMeanwhile
            form={form}
            factOf={(name) => savedFactOf(name, valuesOf(endpoint))}
            onChosen={() => sending.reset()}
          />
          <TextInput
            label="Endpoint URL"
            description={workspace.mode === "live" ? "Must use https." : "Test mode accepts https and http."}
            type="url"
            placeholder="https://shop.example/webhooks"
            maxLength={2048}
            required
            data-autofocus
            {...form.getInputProps("url")}
          />
          <TextInput label="Description (optional)" maxLength={500} {...form.getInputProps("description")} />
          <Radio.Group label="Events" {...form.getInputProps("which")}>
            <Group mt="xs">
              <Radio value="all" label="All event types, including new ones" />
              <Radio value="some" label="Selected event types" />
            </Group>
          </Radio.Group>
          {form.values.which === "some" && (
            <Checkbox.Group label="Event types" {...form.getInputProps("types")}>
              <Stack gap="xs" mt="xs">
                {subscribableTypes.map((type) => (
                  <Checkbox key={type} value={type} label={type} description={meaningOf(type)} />
                ))}
              </Stack>
            </Checkbox.Group>
          )}
          <DialogActions onCancel={onClose} loading={sending.isPending}>
            {endpoint === null ? "Add endpoint" : "Save"}
          </DialogActions>
        </Stack>
      </form>
    </Dialog>
  );
}

function valuesOf(endpoint: WebhookEndpoint | null): Values {
  return {
    url: endpoint?.url ?? "",
    which: endpoint === null || endpoint.enabled_events === null ? "all" : "some",
    types: endpoint?.enabled_events ?? [],
    description: endpoint?.description ?? "",
  };
}

function savedFactOf(name: keyof Values, { url, which, types, description }: Values): Fact {
  switch (name) {
    case "url":
      return { name: "Endpoint URL", value: url };
    case "description":
      return { name: "Description", value: description };
    case "which":
      return { name: "Events", value: which === "all" ? "All event types" : "Selected event types" };
    case "types":
      return { name: "Event types", value: <Lines of={which === "all" ? ["All event types"] : types} /> };
  }
}

function seenOf({ url, enabled_events, description }: WebhookEndpoint): ChangeEndpoint["seen"] {
  return { url, enabled_events, description };
}

function newOf({ url, which, types, description }: Values) {
  return {
    url: url.trim(),
    ...(which === "some" ? { enabled_events: types } : {}),
    ...(description.trim() === "" ? {} : { description: description.trim() }),
  };
}

/** Leaves out what wasn't edited, which a colleague may have changed. */
function changesOf(values: Values, isEdited: (name: keyof Values) => boolean): ChangeEndpoint {
  const { url, which, types, description } = values;
  return {
    ...(isEdited("url") && { url: url.trim() }),
    ...((isEdited("which") || isEdited("types")) && { enabled_events: which === "all" ? null : types }),
    ...(isEdited("description") && { description: description.trim() === "" ? null : description.trim() }),
  };
}
