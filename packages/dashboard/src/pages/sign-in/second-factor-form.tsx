/** The second step of signing in: a code from the authenticator app, or a recovery code. */
import { Anchor, Button, Group, Stack, TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import type { SecondFactor } from "@oriel/protocol/dashboard/sign-in";
import { request } from "../../api/request.ts";
import { ErrorAlert } from "../../parts/error-alert.tsx";
import { showRefusal } from "../../parts/form-errors.ts";
import { Page } from "../../parts/page.tsx";

export function SecondFactorForm({ onDone, onBack }: { onDone: () => void; onBack: () => void }) {
  const [isByApp, setIsByApp] = useState(true);
  const form = useForm({ initialValues: { code: "" } });
  const sending = useMutation({
    mutationFn: (body: SecondFactor) =>
      request("/auth/second-factor", { method: "POST", body, isAboutSigningIn: true }),
    onSuccess: onDone,
    onError: (error) => showRefusal(form, error, { recovery_code: "code" }),
  });
  const send = ({ code }: { code: string }) => {
    const typed = code.replaceAll(/\s/g, "");
    sending.mutate(isByApp ? { code: typed } : { recovery_code: typed });
  };
  return (
    <Page
      title="Two-factor authentication"
      lead={
        isByApp
          ? "Enter the 6-digit code from your authenticator app."
          : "Each recovery code works once. If you've lost your app, replace it on the Security page within ten minutes."
      }
    >
      <form onSubmit={form.onSubmit(send)}>
        <Stack>
          <ErrorAlert error={sending.error} inlineFields={["code"]} />
          <TextInput
            key={isByApp ? "app" : "recovery"}
            label={isByApp ? "Code" : "Recovery code"}
            inputMode={isByApp ? "numeric" : "text"}
            autoComplete={isByApp ? "one-time-code" : "off"}
            autoFocus
            required
            {...form.getInputProps("code")}
          />
          <Button type="submit" loading={sending.isPending}>
            Sign in
          </Button>
          <Group justify="space-between">
            <Anchor
              component="button"
              type="button"
              size="sm"
              onClick={() => {
                form.reset();
                setIsByApp(!isByApp);
              }}
            >
              {isByApp ? "Use a recovery code" : "Use authenticator app"}
            </Anchor>
            <Anchor component="button" type="button" size="sm" onClick={onBack}>
              Back
            </Anchor>
          </Group>
        </Stack>
      </form>
    </Page>
  );
}
