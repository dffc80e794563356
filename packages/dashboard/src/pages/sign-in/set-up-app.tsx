/**
 * Sets up an authenticator app: password, then the QR code (and its secret as text) with the recovery codes, which are
 * shown this once, then the first code as proof that it works.
 */
import { Checkbox, PasswordInput, Stack, Text, TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import { useMutation } from "@tanstack/react-query";
import type { TotpSetup } from "@oriel/protocol/dashboard";
import { useState } from "react";
import { ask } from "../../api/ask.ts";
import { CopyLine } from "../../parts/copy-text.tsx";
import { FormActions } from "../../parts/form-actions.tsx";
import { showRefusal } from "../../parts/form-errors.ts";
import { QrCode } from "../../parts/qr-code.tsx";
import { RecoveryCodeList } from "../../parts/recovery-code-list.tsx";
import { RefusalAlert } from "../../parts/refusal-alert.tsx";

export interface SetUpAppProps {
  /** Null: not begun. */
  setup: TotpSetup | null;
  onBegun: (setup: TotpSetup) => void;
  onDone: () => void;
  /** Where the reader has just called for it. */
  onCancel?: () => void;
}

export function SetUpApp({ setup, onBegun, onDone, onCancel }: SetUpAppProps) {
  if (setup === null) return <PasswordStep onDone={onBegun} onCancel={onCancel} />;
  return <AppStep setup={setup} onDone={onDone} onCancel={onCancel} />;
}

interface PasswordStepProps {
  onDone: (setup: TotpSetup) => void;
  onCancel: SetUpAppProps["onCancel"];
}

function PasswordStep({ onDone, onCancel }: PasswordStepProps) {
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
        <PasswordInput
          label="Your password"
          autoComplete="current-password"
          required
          autoFocus={onCancel !== undefined}
          {...form.getInputProps("password")}
        />
        <FormActions loading={sending.isPending} onCancel={onCancel} grow>
          Begin
        </FormActions>
      </Stack>
    </form>
  );
}

interface AppStepProps {
  setup: TotpSetup;
  onDone: () => void;
  onCancel: SetUpAppProps["onCancel"];
}

function AppStep({ setup, onDone, onCancel }: AppStepProps) {
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
        <TextInput
          label="Code"
          inputMode="numeric"
          autoComplete="one-time-code"
          required
          {...form.getInputProps("code")}
        />
        <FormActions loading={sending.isPending} onCancel={onCancel} grow>
          Done
        </FormActions>
      </Stack>
    </form>
  );
}
