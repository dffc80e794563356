/**
 * Asks users to confirm their identity, with password and code or with a passkey, before actions that grant access. The
 * action then continues automatically.
 */
import { Button, Group, PasswordInput, Stack, Text, TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import { useMutation } from "@tanstack/react-query";
import { useEffect, useSyncExternalStore } from "react";
import { useLocation } from "wouter";
import type { Security, StepUp } from "@oriel/protocol/dashboard/sign-in";
import { hasPasskeys, stepUpWithPasskey } from "../api/passkeys.ts";
import { request } from "../api/request.ts";
import { useSecurity } from "../api/security.ts";
import { stepUp } from "../api/step-up.ts";
import { DialogActions } from "../parts/dialog-actions.tsx";
import { Dialog } from "../parts/dialog.tsx";
import { ErrorAlert } from "../parts/error-alert.tsx";
import { showRefusal } from "../parts/form-errors.ts";
import { Loaded } from "../parts/loaded.tsx";
import { PasskeyButton } from "../parts/passkey-button.tsx";

export function StepUpDialog() {
  const isRequested = useSyncExternalStore(stepUp.subscribe, stepUp.isOpen);
  const query = useSecurity({ enabled: isRequested });
  const [path] = useLocation();
  useEffect(() => cancel, [path]); // the page that asked is gone, for example because the session has ended
  const isOpen = isRequested && !query.isPending; // waits for the data, so that the right field gets the initial focus
  return (
    <Dialog isOpen={isOpen} onClose={cancel} title="Confirm it's you" zIndex={400}>
      {isOpen && <Loaded query={query}>{(security) => <Proofs security={security} />}</Loaded>}
    </Dialog>
  );
}

function Proofs({ security: { has_authenticator, passkeys } }: { security: Security }) {
  const canUsePasskey = passkeys.length > 0 && hasPasskeys;
  return (
    <Stack>
      <Text size="sm">To continue, verify your identity. We won't ask again for ten minutes.</Text>
      {canUsePasskey && (
        <PasskeyButton
          variant={has_authenticator ? "default" : "filled"}
          isFocused={!has_authenticator}
          run={stepUpWithPasskey}
          onDone={confirmed}
        />
      )}
      {has_authenticator && <CodeForm />}
      {!has_authenticator && !canUsePasskey && (
        <Text size="sm">
          This browser doesn't support passkeys, and you haven't set up an authenticator app. Use another browser.
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
    mutationFn: (body: StepUp) => request("/auth/step-up", { method: "POST", body }),
    onSuccess: confirmed,
    onError: (error) => showRefusal(form, error),
  });
  return (
    <form
      onSubmit={form.onSubmit(({ password, code }) => sending.mutate({ password, code: code.replaceAll(" ", "") }))}
    >
      <Stack>
        <ErrorAlert error={sending.error} inlineFields={["password", "code"]} />
        <PasswordInput
          label="Password"
          autoComplete="current-password"
          required
          data-autofocus
          {...form.getInputProps("password")}
        />
        <TextInput
          label="Code"
          description="From your authenticator app"
          inputMode="numeric"
          autoComplete="one-time-code"
          required
          {...form.getInputProps("code")}
        />
        <DialogActions onCancel={cancel} loading={sending.isPending}>
          Continue
        </DialogActions>
      </Stack>
    </form>
  );
}

function confirmed(): void {
  stepUp.settle(true);
}

function cancel(): void {
  stepUp.settle(false);
}
