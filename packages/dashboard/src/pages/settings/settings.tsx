/**
 * The account's settings. Its name, the origins that may embed the checkout, and the hosts that customers may be sent
 * to apply to both modes. Each mode has its own policy for new customers.
 */
import { Button, Stack, Text, Textarea, TextInput } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import { useMutation } from "@tanstack/react-query";
import type { ChangeSettings, RenameAccount, Settings as SettingsResponse } from "@oriel/protocol/dashboard/setup";
import { requestErrorOf } from "../../api/api-error.ts";
import { meKey } from "../../api/me.ts";
import { cacheResponse, queryClient, refetchIfChanged } from "../../api/query-client.ts";
import { request } from "../../api/request.ts";
import { useWorkspace, useWorkspaceQuery } from "../../api/workspace.tsx";
import { ChangedMeanwhile, Lines } from "../../parts/changed-meanwhile.tsx";
import { CopyLine } from "../../parts/copy-text.tsx";
import { DescriptionList } from "../../parts/description-list.tsx";
import { ErrorAlert } from "../../parts/error-alert.tsx";
import { required, showRefusal } from "../../parts/form-errors.ts";
import { Loaded } from "../../parts/loaded.tsx";
import { Page } from "../../parts/page.tsx";
import { RouteLink } from "../../parts/route-link.tsx";
import { Section } from "../../parts/section.tsx";
import { useSavedForm } from "../../parts/use-saved-form.ts";
import { NewCustomersSection } from "./new-customers.tsx";

export function Settings() {
  const workspace = useWorkspace();
  const settings = useWorkspaceQuery<SettingsResponse>("settings");
  return (
    <Page
      title="Settings"
      lead="Settings apply to test and live mode unless a section says otherwise. Changes take effect for new sessions."
    >
      <Loaded query={settings} lines={10}>
        {(settings) => (
          <>
            <Section title="Account">
              <Stack>
                <DescriptionList
                  facts={[{ name: "Account ID", value: <CopyLine text={settings.account_id} what="account ID" /> }]}
                />
                <NameForm settings={settings} />
              </Stack>
            </Section>
            <Section
              title="Domain restrictions"
              lead="Prevents anyone with a stolen key from embedding your checkout in another site or redirecting your customers there."
            >
              <DomainForm settings={settings} />
            </Section>
            <NewCustomersSection />
            {workspace.may("developing") && (
              <Section title="Default appearance">
                <Text size="sm">
                  Set the default appearance of the checkout under{" "}
                  <RouteLink to={workspace.href("appearance")}>Appearance</RouteLink>.
                </Text>
              </Section>
            )}
          </>
        )}
      </Loaded>
    </Page>
  );
}

function NameForm({ settings }: { settings: SettingsResponse }) {
  const workspace = useWorkspace();
  const mayChange = workspace.may("owning");
  const form = useSavedForm(settings, ({ name }) => ({ name }), { validate: { name: required("a name") } });
  const sending = useMutation({
    mutationFn: (values: { name: string }) => {
      const body: RenameAccount = { name: values.name.trim(), seen: form.seen.name };
      return request<SettingsResponse>(workspace.data("settings/name"), { method: "PUT", body });
    },
    onSuccess: (settings, values) => {
      form.hasSaved(values, settings);
      cacheResponse(workspace.key("settings"), settings);
      void queryClient.invalidateQueries({ queryKey: meKey });
      notifications.show({ message: "Account name saved" });
    },
    onError: (error) => {
      showRefusal(form, error);
      refetchIfChanged(workspace.key("settings"), error);
    },
  });
  return (
    <form onSubmit={form.onSubmit((values) => sending.mutate(values))}>
      <Stack maw={420}>
        <ErrorAlert error={sending.error} inlineFields={["name"]} />
        <ChangedMeanwhile
          form={form}
          factOf={() => ({ name: "Name", value: settings.name })}
          onChosen={() => sending.reset()}
        />
        <TextInput
          label="Name"
          description={
            mayChange
              ? "The seller name that customers and their banks see, starting with the next payment."
              : "The seller name that customers and their banks see. Only owners can change it."
          }
          maxLength={100}
          required
          readOnly={!mayChange}
          {...form.getInputProps("name")}
        />
        {mayChange && (
          <div>
            <Button type="submit" loading={sending.isPending} disabled={!form.isDirty()}>
              Save name
            </Button>
          </div>
        )}
      </Stack>
    </form>
  );
}

function DomainForm({ settings }: { settings: SettingsResponse }) {
  const workspace = useWorkspace();
  const mayChange = workspace.may("developing");
  const form = useSavedForm(settings, domainsOf, {
    validate: {
      allowed_origins: (text) => (linesOf(text).length > maxEntries ? `Enter at most ${maxEntries} origins.` : null),
      return_url_hosts: (text) => (linesOf(text).length > maxEntries ? `Enter at most ${maxEntries} hosts.` : null),
    },
  });
  const sending = useMutation({
    mutationFn: ({ allowed_origins, return_url_hosts }: typeof form.values) => {
      // Leaves out an unedited list, which a colleague may have changed.
      const body: ChangeSettings = {
        ...(form.isDirty("allowed_origins") && { allowed_origins: linesOf(allowed_origins) }),
        ...(form.isDirty("return_url_hosts") && { return_url_hosts: linesOf(return_url_hosts) }),
        seen: { allowed_origins: form.seen.allowed_origins, return_url_hosts: form.seen.return_url_hosts },
      };
      return request<SettingsResponse>(workspace.data("settings"), { method: "PATCH", body });
    },
    onSuccess: (settings, values) => {
      form.hasSaved(values, settings);
      cacheResponse(workspace.key("settings"), settings);
      notifications.show({ message: "Domain restrictions saved" });
    },
    // The service names the entry, such as `allowed_origins[1]`, and its message quotes the value.
    onError: (error) => {
      showRefusal(form, error, { [requestErrorOf(error).param ?? ""]: fieldOf(requestErrorOf(error).param) });
      refetchIfChanged(workspace.key("settings"), error);
    },
  });
  const refused = sending.error === null ? null : requestErrorOf(sending.error).param;
  return (
    <form onSubmit={form.onSubmit((values) => sending.mutate(values))}>
      <Stack maw={640}>
        <ErrorAlert
          error={sending.error}
          inlineFields={refused !== null && fieldOf(refused) in form.values ? [refused] : []}
        />
        <ChangedMeanwhile
          form={form}
          factOf={(name) => ({ name: domainLabels[name], value: <Lines of={settings[name]} /> })}
          onChosen={() => sending.reset()}
        />
        <Textarea
          label={domainLabels.allowed_origins}
          description="Sites that may embed the checkout. One origin per line, for example https://shop.example. Sessions can narrow this list but not extend it. Leave empty to set origins per session."
          autosize
          minRows={3}
          maxRows={20}
          spellCheck={false}
          readOnly={!mayChange}
          {...form.getInputProps("allowed_origins")}
        />
        <Textarea
          label={domainLabels.return_url_hosts}
          description="Hosts that return_url and cancel_url may use. One host per line, without https://, for example shop.example. Leave empty to allow any host."
          autosize
          minRows={3}
          maxRows={20}
          spellCheck={false}
          readOnly={!mayChange}
          {...form.getInputProps("return_url_hosts")}
        />
        {mayChange && (
          <div>
            <Button type="submit" loading={sending.isPending} disabled={!form.isDirty()}>
              Save domains
            </Button>
          </div>
        )}
      </Stack>
    </form>
  );
}

const maxEntries = 20;
const domainLabels = { allowed_origins: "Allowed origins", return_url_hosts: "Redirect hosts" } as const;

function domainsOf({ allowed_origins, return_url_hosts }: SettingsResponse) {
  return { allowed_origins: allowed_origins.join("\n"), return_url_hosts: return_url_hosts.join("\n") };
}

function fieldOf(param: string | null): string {
  return param?.replace(/\[\d+\]$/, "") ?? "";
}

/** The nonempty lines, without duplicates. */
function linesOf(text: string): string[] {
  return [...new Set(text.split(/[\n,]/).map((line) => line.trim()))].filter((line) => line !== "");
}
