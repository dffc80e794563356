/** The page that password reset links open. A new password ends all sessions. */
import { Button, Stack, Text } from "@mantine/core";
import { useForm } from "@mantine/form";
import { useMutation } from "@tanstack/react-query";
import { Link } from "wouter";
import { ask } from "../../api/request.ts";
import { useLinkToken } from "../../api/link-token.ts";
import { showRefusal } from "../../parts/form-errors.ts";
import { Page } from "../../parts/page.tsx";
import { ErrorAlert } from "../../parts/error-alert.tsx";
import { NewPasswordInput } from "./new-password-input.tsx";

export function ResetPassword() {
  const token = useLinkToken();
  const form = useForm({ initialValues: { password: "" } });
  const sending = useMutation({
    mutationFn: ({ password }: { password: string }) =>
      ask("/auth/reset", { method: "POST", body: { token, password }, isAboutSigningIn: true }),
    onError: (error) => showRefusal(form, error),
  });
  if (sending.isSuccess)
    return (
      <Page title="Password changed" lead="You've been signed out everywhere.">
        <Button component={Link} href="/sign-in">
          Sign in
        </Button>
      </Page>
    );
  return (
    <Page title="Set a new password">
      {token === "" ? (
        <Text>This link is incomplete. Open it from the email, or copy the whole link.</Text>
      ) : (
        <form onSubmit={form.onSubmit((values) => sending.mutate(values))}>
          <Stack>
            <ErrorAlert error={sending.error} besideFields={["password"]} />
            <NewPasswordInput label="New password" {...form.getInputProps("password")} />
            <Button type="submit" loading={sending.isPending}>
              Set password
            </Button>
          </Stack>
        </form>
      )}
    </Page>
  );
}
