/** The user's own security settings: password, authenticator app, recovery codes, passkeys, sessions. */
import { Anchor, Button, Group, PasswordInput, Stack, Text } from "@mantine/core";
import { useForm } from "@mantine/form";
import { notifications } from "@mantine/notifications";
import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import type {
  ChangePassword,
  RecoveryCodes,
  Security as SecurityResponse,
  SessionInfo,
} from "@oriel/protocol/dashboard/sign-in";
import { isolate } from "@oriel/protocol/isolate";
import { useMe } from "../../api/me.ts";
import { queryClient } from "../../api/query-client.ts";
import { request } from "../../api/request.ts";
import { securityKey, useSecurity } from "../../api/security.ts";
import { DateTime } from "../../parts/date-time.tsx";
import { ErrorAlert } from "../../parts/error-alert.tsx";
import { showRefusal } from "../../parts/form-errors.ts";
import { Loaded } from "../../parts/loaded.tsx";
import { Page } from "../../parts/page.tsx";
import { RecordTable } from "../../parts/record-table.tsx";
import { RecoveryCodeList } from "../../parts/recovery-code-list.tsx";
import { Section } from "../../parts/section.tsx";
import { AppSection } from "./app-section.tsx";
import { NewPasswordInput } from "./new-password-input.tsx";
import { PasskeySection } from "./passkey-section.tsx";

export function Security() {
  const { data: me } = useMe();
  const security = useSecurity();
  return (
    <Page title="Security" lead={me === undefined ? undefined : `Signed in as ${isolate(me.login.email)}`}>
      <Section title="Password">
        <PasswordForm email={me?.login.email ?? ""} />
      </Section>
      {me !== undefined && (
        <Section title="Authenticator app">
          <Loaded query={security} lines={2}>
            {({ has_authenticator, passkeys }) => (
              <AppSection hasApp={has_authenticator} whyRequired={whyRequired(passkeys, me.is_operator)} />
            )}
          </Loaded>
        </Section>
      )}
      {security.data?.has_authenticator && (
        <Section title="Recovery codes">
          <RecoveryCodeSection left={security.data.recovery_codes_left} />
        </Section>
      )}
      {me?.is_operator === false && (
        <Section title="Passkeys">
          <Loaded query={security} lines={2}>
            {({ passkeys }) => <PasskeySection passkeys={passkeys} />}
          </Loaded>
        </Section>
      )}
      <Section title="Sessions">
        <Loaded query={security}>{({ sessions }) => <SessionTable sessions={sessions} />}</Loaded>
      </Section>
    </Page>
  );
}

function whyRequired(passkeys: SecurityResponse["passkeys"], isOperator: boolean): string | null {
  if (isOperator) return "Operators can't remove it because they can't sign in with passkeys.";
  return passkeys.length === 0 ? "It's your only second factor. To remove it, add a passkey first." : null;
}

function PasswordForm({ email }: { email: string }) {
  const form = useForm({ initialValues: { current: "", password: "" } });
  const sending = useMutation({
    mutationFn: (body: ChangePassword) => request("/auth/password", { method: "POST", body }),
    onSuccess: () => {
      form.reset();
      void queryClient.invalidateQueries({ queryKey: securityKey });
      notifications.show({ message: "Password changed. All other sessions have ended." });
    },
    onError: (error) => showRefusal(form, error),
  });
  return (
    <form onSubmit={form.onSubmit((values) => sending.mutate(values))}>
      <Stack maw={420}>
        {/* Tells password managers whose password it is. */}
        <input type="email" autoComplete="username" value={email} readOnly hidden />
        <ErrorAlert error={sending.error} inlineFields={["current", "password"]} />
        <PasswordInput
          label="Current password"
          autoComplete="current-password"
          required
          {...form.getInputProps("current")}
        />
        <NewPasswordInput
          label="New password"
          description="At least 12 characters. Changing your password ends all other sessions."
          {...form.getInputProps("password")}
        />
        <div>
          <Button type="submit" loading={sending.isPending}>
            Change password
          </Button>
        </div>
      </Stack>
    </form>
  );
}

function RecoveryCodeSection({ left }: { left: number }) {
  const [isFormOpen, setIsFormOpen] = useState(false);
  const form = useForm({ initialValues: { password: "" } });
  const sending = useMutation({
    mutationFn: (body: { password: string }) =>
      request<RecoveryCodes>("/auth/recovery-codes", { method: "POST", body }),
    onSuccess: () => void queryClient.invalidateQueries({ queryKey: securityKey }),
    onError: (error) => showRefusal(form, error),
  });
  if (sending.data !== undefined)
    return (
      <Stack maw={420}>
        <Text size="sm">These codes replace the old ones. You won't be able to see them again, so save them now.</Text>
        <RecoveryCodeList codes={sending.data.recovery_codes} />
      </Stack>
    );
  return (
    <Stack maw={420}>
      <Text size="sm">
        {left === 1 ? "1 code" : `${left} codes`} left. If you lose your authenticator app, you can sign in once with
        each code.
      </Text>
      {!isFormOpen && (
        <Anchor component="button" type="button" size="sm" ta="start" onClick={() => setIsFormOpen(true)}>
          Generate new codes
        </Anchor>
      )}
      {isFormOpen && (
        <form onSubmit={form.onSubmit((values) => sending.mutate(values))}>
          <Stack>
            <ErrorAlert error={sending.error} inlineFields={["password"]} />
            <PasswordInput
              label="Your password"
              autoComplete="current-password"
              required
              autoFocus
              {...form.getInputProps("password")}
            />
            <Group>
              <Button type="submit" loading={sending.isPending}>
                Generate new codes
              </Button>
              <Button variant="default" onClick={() => setIsFormOpen(false)}>
                Cancel
              </Button>
            </Group>
          </Stack>
        </form>
      )}
    </Stack>
  );
}

function SessionTable({ sessions }: { sessions: readonly SessionInfo[] }) {
  const ending = useMutation({
    /** @param id the ID of a session, or `others` for all but the current one */
    mutationFn: (id: string) =>
      request(id === "others" ? "/auth/sessions/revoke-others" : `/auth/sessions/${id}/revoke`, { method: "POST" }),
    onSuccess: () => queryClient.invalidateQueries({ queryKey: securityKey }),
  });
  return (
    <Stack>
      <ErrorAlert error={ending.error} />
      <RecordTable
        label="Sessions"
        items={sessions}
        rowKey={({ id }) => id}
        empty="No sessions."
        columns={[
          {
            name: "Browser",
            cell: ({ user_agent, is_this_one }) =>
              is_this_one ? `${shortAgent(user_agent)} (current)` : shortAgent(user_agent),
          },
          { name: "IP address", cell: ({ ip }) => ip },
          { name: "Signed in", cell: ({ created }) => <DateTime at={created} /> },
          { name: "Last used", cell: ({ last_used }) => <DateTime at={last_used} /> },
          {
            name: "Actions",
            isNameHidden: true,
            cell: ({ id, is_this_one }) =>
              !is_this_one && (
                <Button size="compact-xs" variant="default" onClick={() => ending.mutate(id)}>
                  End
                </Button>
              ),
          },
        ]}
      />
      {sessions.length > 1 && (
        <div>
          <Button variant="default" size="xs" onClick={() => ending.mutate("others")} loading={ending.isPending}>
            End all other sessions
          </Button>
        </div>
      )}
    </Stack>
  );
}

/** @returns a short name such as "Firefox on Linux" */
function shortAgent(agent: string): string {
  const browser = /(Edg|OPR|Firefox|Chrome|Safari)\//.exec(agent)?.[1];
  const system = /(Windows|Android|iPhone|iPad|Mac OS X|Linux)/.exec(agent)?.[1];
  if (browser === undefined) return agent.slice(0, 60) || "Unknown";
  const name = { Edg: "Edge", OPR: "Opera" }[browser] ?? browser;
  return system === undefined ? name : `${name} on ${system === "Mac OS X" ? "macOS" : system}`;
}
