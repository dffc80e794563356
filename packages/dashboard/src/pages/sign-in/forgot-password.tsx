/** Asks for a mail with which a new password can be set. The answer is the same for an address that nobody has. */
import { Anchor, Button, Stack, Text, TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import { useMutation } from "@tanstack/react-query";
import { Link } from "wouter";
import type { ResetRequest } from "@oriel/protocol/dashboard";
import { ask } from "../../api/ask.ts";
import { showRefusal } from "../../parts/form-errors.ts";
import { Page } from "../../parts/page.tsx";
import { RefusalAlert } from "../../parts/refusal-alert.tsx";

export function ForgotPassword() {
  const form = useForm({ initialValues: { email: "" } });
  const sending = useMutation({
    mutationFn: (body: ResetRequest) => ask("/auth/reset-request", { method: "POST", body, isAboutSigningIn: true }),
    onError: (error) => showRefusal(form, error),
  });
  const back = (
    <Anchor component={Link} href="/sign-in" size="sm">
      To signing in
    </Anchor>
  );
  if (sending.isSuccess)
    return (
      <Page title="Look into your mail">
        <Text>If there is a login with this address, we have just written to it. The link holds for 30 minutes.</Text>
        {back}
      </Page>
    );
  return (
    <Page title="A new password" lead="We write to you. Your second factor stays as it is.">
      <form onSubmit={form.onSubmit((values) => sending.mutate(values))}>
        <Stack>
          <RefusalAlert error={sending.error} besideFields={["email"]} />
          <TextInput
            label="E-mail address"
            type="email"
            autoComplete="username"
            required
            {...form.getInputProps("email")}
          />
          <Button type="submit" loading={sending.isPending}>
            Send the mail
          </Button>
          {back}
        </Stack>
      </form>
    </Page>
  );
}
