/**
 * Sets up a second factor. A passkey: password, then what the browser asks. Or an authenticator app: password, then the QR code (and its secret as text) with the recovery codes, which are shown this once, then the first
 * code as proof that it works.
 */
import { Anchor, Button, Checkbox, PasswordInput, Radio, Stack, Text, TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import type { TotpSetup } from "@oriel/protocol/dashboard";
import { ask } from "../../api/ask.ts";
import { meKey, signOut, useMe } from "../../api/me.ts";
import { hasPasskeys } from "../../api/passkeys.ts";
import { queryClient } from "../../api/query-client.ts";
import { hasWaitingInvitation } from "../../api/waiting-invitation.ts";
import { CopyLine } from "../../parts/copy-text.tsx";
import { showRefusal } from "../../parts/form-errors.ts";
import { Page } from "../../parts/page.tsx";
import { QrCode } from "../../parts/qr-code.tsx";
import { RecoveryCodeList } from "../../parts/recovery-code-list.tsx";
import { RefusalAlert } from "../../parts/refusal-alert.tsx";
import { AddPasskeyForm } from "./add-passkey-form.tsx";

export function SetUpSecondFactor() {
  const [setup, setSetup] = useState<TotpSetup | null>(null);
  const [way, setWay] = useState<"app" | "passkey">("app");
  const me = useMe();
  const mayChoose = hasPasskeys && me.data?.is_operator === false;
  const done = () => {
    queryClient.removeQueries({ queryKey: meKey });
    globalThis.location.assign(hasWaitingInvitation() ? "/invitation" : "/");
  };
  return (
    <Page
      title="Set up a second factor"
      lead="Everybody here signs in with a password and a code of an authenticator app, such as the one in your password manager or on your phone, or with a passkey."
    >
      {setup === null && mayChoose && (
        <Radio.Group label="What to set up" value={way} onChange={(chosen) => setWay(chosen === "passkey" ? "passkey" : "app")}>
          <Stack gap="xs" mt={6}>
            <Radio
              value="app"
              label="Authenticator app"
              description="Six digits after the password. With recovery codes, for when the app is gone."
            />
            <Radio
              value="passkey"
              label="Passkey"
              description="A finger, a face or a PIN, without the password. Add a second one, or the app, in case this one is gone."
            />
          </Stack>
        </Radio.Group>
      )}
      {setup === null && way === "app" && <PasswordStep onDone={setSetup} />}
      {setup === null && way === "passkey" && <AddPasskeyForm onDone={done} />}
      {setup !== null && <AppStep setup={setup} onDone={done} />}
      <Anchor component="button" type="button" size="sm" onClick={() => void signOut()}>
        Sign out
      </Anchor>
    </Page>
  );
}

function PasswordStep({ onDone }: { onDone: (setup: TotpSetup) => void }) {
  const form = useForm({ initialValues: { password: "" } });
  const sending = useMutation({
    mutationFn: (body: { password: string }) => ask<TotpSetup>("/auth/totp/begin", { method: "POST", body }),
    onSuccess: onDone,
    onError: (error) => showRefusal(form, error),
  });
  return (
    <form onSubmit={form.onSubmit((values) => sending.mutate(values))}>
      <Stack>
        <RefusalAlert error={sending.error} besideFields={["password"]} />
        <PasswordInput label="Your password" autoComplete="current-password" required {...form.getInputProps("password")} />
        <Button type="submit" loading={sending.isPending}>
          Begin
        </Button>
      </Stack>
    </form>
  );
}

function AppStep({ setup, onDone }: { setup: TotpSetup; onDone: () => void }) {
  const [areKept, setAreKept] = useState(false);
  const form = useForm({
    initialValues: { code: "" },
    validate: { code: (value) => (/^\d{6}$/.test(value.replaceAll(" ", "")) ? null : "Six digits.") },
  });
  const sending = useMutation({
    mutationFn: (code: string) => ask("/auth/totp/confirm", { method: "POST", body: { code } }),
    onSuccess: onDone,
    onError: (error) => showRefusal(form, error),
  });
  const secret = new URL(setup.uri).searchParams.get("secret") ?? "";
  return (
    <form onSubmit={form.onSubmit(({ code }) => sending.mutate(code.replaceAll(" ", "")))}>
      <Stack>
        <Text fw={600}>1. Let the app read this</Text>
        <QrCode text={setup.uri} label="QR code for the authenticator app" />
        <Text size="sm" component="div">
          Or type the secret: <CopyLine text={secret} what="the secret" />
        </Text>
        <Text fw={600}>2. Keep these recovery codes</Text>
        <Text size="sm">Each lets you in once when the app is gone. They are shown now and never again.</Text>
        <RecoveryCodeList codes={setup.recovery_codes} />
        <Checkbox
          label="I have kept them"
          checked={areKept}
          onChange={(event) => setAreKept(event.currentTarget.checked)}
          required
        />
        <Text fw={600}>3. Type what the app shows now</Text>
        <RefusalAlert error={sending.error} besideFields={["code"]} />
        <TextInput label="Code" inputMode="numeric" autoComplete="one-time-code" required {...form.getInputProps("code")} />
        <Button type="submit" loading={sending.isPending}>
          Done
        </Button>
      </Stack>
    </form>
  );
}
