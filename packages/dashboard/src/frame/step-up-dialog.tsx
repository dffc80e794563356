/**
 * Asks again for what the login has, password and code or a passkey, before what opens doors; then what was asked for
 * goes on by itself.
 */
import { Button, Group, PasswordInput, Stack, Text, TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import { useMutation } from "@tanstack/react-query";
import { useSyncExternalStore } from "react";
import type { Security, StepUp } from "@oriel/protocol/dashboard";
import { ask } from "../api/ask.ts";
import { hasPasskeys, stepUpWithPasskey } from "../api/passkeys.ts";
import { useSecurity } from "../api/security.ts";
import { stepUp } from "../api/step-up.ts";
import { Dialog } from "../parts/dialog.tsx";
import { DialogActions } from "../parts/dialog-actions.tsx";
import { showRefusal } from "../parts/form-errors.ts";
import { Loaded } from "../parts/loaded.tsx";
import { PasskeyButton } from "../parts/passkey-button.tsx";
import { RefusalAlert } from "../parts/refusal-alert.tsx";

export function StepUpDialog() {
  const isAsked = useSyncExternalStore(stepUp.subscribe, stepUp.isOpen);
  const query = useSecurity({ enabled: isAsked });
  const isOpen = isAsked && !query.isPending; // so that what has the focus at first is what can be given
  return (
    <Dialog isOpen={isOpen} onClose={cancel} title="Is it you?" zIndex={400}>
      {isOpen && <Loaded query={query}>{(security) => <Proofs security={security} />}</Loaded>}
    </Dialog>
  );
}

function Proofs({ security: { has_authenticator, passkeys } }: { security: Security }) {
  const canUsePasskey = passkeys.length > 0 && hasPasskeys;
  return (
    <Stack>
      <Text size="sm">This opens doors, so show again that it is you. It holds for ten minutes.</Text>
      {canUsePasskey && (
        <PasskeyButton
          variant={has_authenticator ? "default" : "filled"}
          isFocused={!has_authenticator}
          run={stepUpWithPasskey}
          onDone={proved}
        />
      )}
      {has_authenticator && <CodeForm />}
      {!has_authenticator && !canUsePasskey && (
        <Text size="sm">
          This browser knows no passkeys, and this login has no authenticator app. Use another browser.
        </Text>
      )}
      {!has_authenticator && (
        <Group justify="flex-end">
          <Button variant="default" onClick={cancel}>
            Cancel
          </Button>
        </Group>
      )}
    </Stack>
  );
}

function CodeForm() {
  const form = useForm({ initialValues: { password: "", code: "" } });
  const sending = useMutation({
    mutationFn: (body: StepUp) => ask("/auth/step-up", { method: "POST", body }),
    onSuccess: proved,
    onError: (error) => showRefusal(form, error),
  });
  return (
    <form
      onSubmit={form.onSubmit(({ password, code }) => sending.mutate({ password, code: code.replaceAll(" ", "") }))}
    >
      <Stack>
        <RefusalAlert error={sending.error} besideFields={["password", "code"]} />
        <PasswordInput
          label="Password"
          autoComplete="current-password"
          required
          data-autofocus
          {...form.getInputProps("password")}
        />
        <TextInput
          label="Code"
          description="Of your authenticator app."
          inputMode="numeric"
          autoComplete="one-time-code"
          required
          {...form.getInputProps("code")}
        />
        <DialogActions onCancel={cancel} loading={sending.isPending}>
          Go on
        </DialogActions>
      </Stack>
    </form>
  );
}

function proved(): void {
  stepUp.settle(true);
}

function cancel(): void {
  stepUp.settle(false);
}
