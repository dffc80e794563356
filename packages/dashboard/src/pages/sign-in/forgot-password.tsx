/** Requests an email to reset the password. The response doesn't reveal whether a user with the address exists. */
import { Anchor, Button, Stack, Text, TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import { useMutation } from "@tanstack/react-query";
import { Link } from "wouter";
import type { ResetRequest } from "@oriel/protocol/dashboard/sign-in";
import { request } from "../../api/request.ts";
import { ErrorAlert } from "../../parts/error-alert.tsx";
import { showRefusal } from "../../parts/form-errors.ts";
import { Page } from "../../parts/page.tsx";

export function ForgotPassword() {
  const form = useForm({ initialValues: { email: "" } });
  const sending = useMutation({
    mutationFn: (body: ResetRequest) =>
      request("/auth/reset-request", { method: "POST", body, isAboutSigningIn: true }),
    onError: (error) => showRefusal(form, error),
  });
  const back = (
    <Anchor component={Link} href="/sign-in" size="sm">
      Back to sign-in
    </Anchor>
  );
  if (sending.isSuccess)
    return (
      <Page title="Check your email">
        <Text>
          If a user with this address exists, an email with a link is on its way. The link is valid for 30 minutes.
        </Text>
        {back}
      </Page>
    );
  return (
    <Page title="Reset your password" lead="We'll email you a link. Your second factor stays the same.">
      <form onSubmit={form.onSubmit((values) => sending.mutate(values))}>
        <Stack>
          <ErrorAlert error={sending.error} inlineFields={["email"]} />
          <TextInput label="Email" type="email" autoComplete="username" required {...form.getInputProps("email")} />
          <Button type="submit" loading={sending.isPending}>
            Send link
          </Button>
          {back}
        </Stack>
      </form>
    </Page>
  );
}
