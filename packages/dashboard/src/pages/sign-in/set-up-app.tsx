/**
 * Sets up an authenticator app. Asks for the password, shows the QR code, the secret as text and the recovery codes
 * (shown only once), and asks for a first code to verify the setup.
 */
import { Checkbox, PasswordInput, Stack, Text, TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import type { TotpSetup } from "@oriel/protocol/dashboard/sign-in";
import { request } from "../../api/request.ts";
import { CopyLine } from "../../parts/copy-text.tsx";
import { ErrorAlert } from "../../parts/error-alert.tsx";
import { FormActions } from "../../parts/form-actions.tsx";
import { showRefusal } from "../../parts/form-errors.ts";
import { QrCode } from "../../parts/qr-code.tsx";
import { RecoveryCodeList } from "../../parts/recovery-code-list.tsx";

export interface SetUpAppProps {
  /** Null until the password was entered. */
  setup: TotpSetup | null;
  onBegun: (setup: TotpSetup) => void;
  onDone: () => void;
  /** Shows a cancel button. Left out if the setup is mandatory. */
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
    mutationFn: (body: { password: string }) => request<TotpSetup>("/auth/totp/begin", { method: "POST", body }),
    onSuccess: onDone,
    onError: (error) => showRefusal(form, error),
  });
  return (
    <form onSubmit={form.onSubmit((values) => sending.mutate(values))}>
      <Stack>
        <ErrorAlert error={sending.error} inlineFields={["password"]} />
        <PasswordInput
          label="Your password"
          autoComplete="current-password"
          required
          autoFocus={onCancel !== undefined}
          {...form.getInputProps("password")}
        />
        <FormActions loading={sending.isPending} onCancel={onCancel} grow>
          Continue
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
  const [areSaved, setAreSaved] = useState(false);
  const form = useForm({
    initialValues: { code: "" },
    validate: { code: (value) => (/^\d{6}$/.test(value.replaceAll(" ", "")) ? null : "Enter six digits.") },
  });
  const sending = useMutation({
    mutationFn: (code: string) => request("/auth/totp/confirm", { method: "POST", body: { code } }),
    onSuccess: onDone,
    onError: (error) => showRefusal(form, error),
  });
  const secret = new URL(setup.uri).searchParams.get("secret") ?? "";
  const hasNewCodes = setup.recovery_codes.length > 0;
  return (
    <form onSubmit={form.onSubmit(({ code }) => sending.mutate(code.replaceAll(" ", "")))}>
      <Stack>
        <Text fw={600}>1. Scan this QR code with your app</Text>
        <QrCode text={setup.uri} label="QR code for the authenticator app" />
        <Text size="sm" component="div">
          Or enter the secret: <CopyLine text={secret} what="secret" />
        </Text>
        {hasNewCodes && (
          <>
            <Text fw={600}>2. Save these recovery codes</Text>
            <Text size="sm">
              If you lose your app, you can sign in once with each code. You won't be able to see them again.
            </Text>
            <RecoveryCodeList codes={setup.recovery_codes} />
            <Checkbox
              label="I've saved my recovery codes"
              checked={areSaved}
              onChange={(event) => setAreSaved(event.currentTarget.checked)}
              required
            />
          </>
        )}
        <Text fw={600}>{hasNewCodes ? "3" : "2"}. Enter the code from the app</Text>
        <ErrorAlert error={sending.error} inlineFields={["code"]} />
        <TextInput
          label="Code"
          inputMode="numeric"
          autoComplete="one-time-code"
          required
          {...form.getInputProps("code")}
        />
        <FormActions loading={sending.isPending} onCancel={onCancel} grow>
          Finish
        </FormActions>
      </Stack>
    </form>
  );
}
