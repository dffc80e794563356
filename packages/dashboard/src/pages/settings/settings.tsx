/**
 * What the account leaves to none of its sessions: its name, who may hold its frames, where customers may be sent. The
 * same in both modes.
 */
import { Button, Stack, Text, Textarea, TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import { notifications } from "@mantine/notifications";
import { useMutation } from "@tanstack/react-query";
import type { ChangeSettings, Settings as SettingsAnswer } from "@oriel/protocol/dashboard-setup";
import { ask } from "../../api/ask.ts";
import { useDesk, useDeskQuery } from "../../api/desk.tsx";
import { meKey } from "../../api/me.ts";
import { queryClient } from "../../api/query-client.ts";
import { refusalOf } from "../../api/refusal.ts";
import { CopyLine } from "../../parts/copy-text.tsx";
import { Facts } from "../../parts/facts.tsx";
import { required, showRefusal } from "../../parts/form-errors.ts";
import { Loaded } from "../../parts/loaded.tsx";
import { Page } from "../../parts/page.tsx";
import { RefusalAlert } from "../../parts/refusal-alert.tsx";
import { RouteLink } from "../../parts/route-link.tsx";
import { Section } from "../../parts/section.tsx";

export function Settings() {
  const desk = useDesk();
  const settings = useDeskQuery<SettingsAnswer>("settings");
  return (
    <Page
      title="Settings"
      lead="Of the account, in test and live mode alike. They hold for sessions that are created from now on."
    >
      <Loaded query={settings} lines={10}>
        {(settings) => (
          <>
            <Section title="Account">
              <Stack>
                <Facts
                  facts={[{ name: "Id", value: <CopyLine text={settings.account_id} what="the account's id" /> }]}
                />
                <NameForm key={settings.name} name={settings.name} />
              </Stack>
            </Section>
            <Section
              title="Addresses"
              lead="Stops a stolen key from putting your checkout into somebody else's page, or sending your customers there."
            >
              <AddressForm
                key={JSON.stringify([settings.allowed_origins, settings.return_url_hosts])}
                settings={settings}
              />
            </Section>
            {desk.may("developing") && (
              <Section title="Looks">
                <Text size="sm">
                  How the form looks where a session does not say:{" "}
                  <RouteLink to={desk.href("appearance")}>Appearance</RouteLink>
                </Text>
              </Section>
            )}
          </>
        )}
      </Loaded>
    </Page>
  );
}

function NameForm({ name }: { name: string }) {
  const desk = useDesk();
  const mayChange = desk.may("owning");
  const form = useForm({ initialValues: { name }, validate: { name: required("The name") } });
  const sending = useMutation({
    mutationFn: (body: { name: string }) => ask<SettingsAnswer>(desk.data("settings/name"), { method: "PUT", body }),
    onSuccess: (settings) => {
      keep(desk.key("settings"), settings);
      void queryClient.invalidateQueries({ queryKey: meKey });
      notifications.show({ message: "The account has its new name." });
    },
    onError: (error) => showRefusal(form, error),
  });
  return (
    <form onSubmit={form.onSubmit(({ name }) => sending.mutate({ name: name.trim() }))}>
      <Stack maw={420}>
        <RefusalAlert error={sending.error} besideFields={["name"]} />
        <TextInput
          label="Name"
          description={
            mayChange
              ? "What customers and their banks see as the seller, from the next payment on."
              : "What customers and their banks see as the seller. Owners change it."
          }
          maxLength={100}
          required
          readOnly={!mayChange}
          {...form.getInputProps("name")}
        />
        {mayChange && (
          <div>
            <Button type="submit" loading={sending.isPending} disabled={!form.isDirty()}>
              Change the name
            </Button>
          </div>
        )}
      </Stack>
    </form>
  );
}

function AddressForm({ settings }: { settings: SettingsAnswer }) {
  const desk = useDesk();
  const mayChange = desk.may("developing");
  const form = useForm({
    initialValues: {
      allowed_origins: settings.allowed_origins.join("\n"),
      return_url_hosts: settings.return_url_hosts.join("\n"),
    },
    validate: {
      allowed_origins: (text) => (linesOf(text).length > most ? `At most ${most}.` : null),
      return_url_hosts: (text) => (linesOf(text).length > most ? `At most ${most}.` : null),
    },
  });
  const sending = useMutation({
    mutationFn: (body: ChangeSettings) => ask<SettingsAnswer>(desk.data("settings"), { method: "PATCH", body }),
    onSuccess: (settings) => {
      keep(desk.key("settings"), settings);
      notifications.show({ message: "The addresses are kept." });
    },
    // The service names the entry, `allowed_origins[1]`; its sentence quotes it.
    onError: (error) => showRefusal(form, error, { [refusalOf(error).param ?? ""]: fieldOf(refusalOf(error).param) }),
  });
  const refused = sending.error === null ? null : refusalOf(sending.error).param;
  return (
    <form
      onSubmit={form.onSubmit(({ allowed_origins, return_url_hosts }) =>
        sending.mutate({ allowed_origins: linesOf(allowed_origins), return_url_hosts: linesOf(return_url_hosts) }),
      )}
    >
      <Stack maw={640}>
        <RefusalAlert
          error={sending.error}
          besideFields={refused !== null && fieldOf(refused) in form.values ? [refused] : []}
        />
        <Textarea
          label="Origins that may hold the form"
          description="One per line, as location.origin says there: https://shop.example. A session may narrow this list, and not widen it. Empty: each session says it itself."
          autosize
          minRows={3}
          maxRows={20}
          spellCheck={false}
          readOnly={!mayChange}
          {...form.getInputProps("allowed_origins")}
        />
        <Textarea
          label="Hosts of return_url and cancel_url"
          description="One per line, without https://: shop.example. Empty: any."
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
              Keep the addresses
            </Button>
          </div>
        )}
      </Stack>
    </form>
  );
}

const most = 20;

function fieldOf(param: string | null): string {
  return param?.replace(/\[\d+\]$/, "") ?? "";
}

/** Each once: a line that stands there twice is meant once. */
function linesOf(text: string): string[] {
  return [...new Set(text.split(/[\n,]/).map((line) => line.trim()))].filter((line) => line !== "");
}

function keep(key: readonly unknown[], settings: SettingsAnswer): void {
  queryClient.setQueryData(key, settings);
}
