/** Asks for password and code again, or for a passkey, for what opens doors; then what was asked for goes on by itself. */
import { Button, Group, Modal, PasswordInput, Stack, Text, TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import { useMutation } from "@tanstack/react-query";
import { IconFingerprint } from "@tabler/icons-react";
import { useSyncExternalStore } from "react";
import type { StepUp } from "@oriel/protocol/dashboard";
import { ask } from "../api/ask.ts";
import { hasPasskeys, stepUpWithPasskey } from "../api/passkeys.ts";
import { useSecurity } from "../api/security.ts";
import { stepUp } from "../api/step-up.ts";
import { showRefusal } from "../parts/form-errors.ts";
import { RefusalAlert } from "../parts/refusal-alert.tsx";

export function StepUpDialog() {
  const isOpen = useSyncExternalStore(stepUp.subscribe, stepUp.isOpen);
  return (
    <Modal opened={isOpen} onClose={() => stepUp.settle(false)} title="Is it you?" zIndex={400}>
      {isOpen && <StepUpForm />}
    </Modal>
  );
}

function StepUpForm() {
  const form = useForm({ initialValues: { password: "", code: "" } });
  const sending = useMutation({
    mutationFn: (body: StepUp) => ask("/auth/step-up", { method: "POST", body }),
    onSuccess: () => stepUp.settle(true),
    onError: (error) => showRefusal(form, error),
  });
  const security = useSecurity();
  const byPasskey = useMutation({ mutationFn: stepUpWithPasskey, onSuccess: () => stepUp.settle(true) });
  return (
    <form onSubmit={form.onSubmit(({ password, code }) => sending.mutate({ password, code: code.replaceAll(" ", "") }))}>
      <Stack>
        <Text size="sm">
          This opens doors, so give your password and a code of your authenticator app again. It holds for ten minutes.
        </Text>
        {hasPasskeys && security.data !== undefined && security.data.passkeys.length > 0 && (
          <>
            <RefusalAlert error={byPasskey.error} />
            <Button
              variant="default"
              leftSection={<IconFingerprint size={18} aria-hidden />}
              loading={byPasskey.isPending}
              onClick={() => byPasskey.mutate()}
            >
              Use a passkey instead
            </Button>
          </>
        )}
        <RefusalAlert error={sending.error} besideFields={["password", "code"]} />
        <PasswordInput
          label="Password"
          autoComplete="current-password"
          required
          data-autofocus
          {...form.getInputProps("password")}
        />
        <TextInput label="Code" inputMode="numeric" autoComplete="one-time-code" required {...form.getInputProps("code")} />
        <Group justify="flex-end">
          <Button variant="default" onClick={() => stepUp.settle(false)}>
            Cancel
          </Button>
          <Button type="submit" loading={sending.isPending}>
            Go on
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
