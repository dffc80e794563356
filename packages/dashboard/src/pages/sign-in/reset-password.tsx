/**
 * The pages that two kinds of links open: one to reset the password, which ends all sessions, and one from the operator
 * of the service to set up signing in, for new operators and for users who have lost their second factor.
 */
import { Button, Stack, Text } from "@mantine/core";
import { useForm } from "@mantine/form";
import { useMutation } from "@tanstack/react-query";
import { Link } from "wouter";
import { useLinkToken } from "../../api/link-token.ts";
import { request } from "../../api/request.ts";
import { ErrorAlert } from "../../parts/error-alert.tsx";
import { showRefusal } from "../../parts/form-errors.ts";
import { Page } from "../../parts/page.tsx";
import { NewPasswordInput } from "./new-password-input.tsx";

export function ResetPassword() {
  return (
    <PasswordPage
      title="Set a new password"
      done={{ title: "Password changed", lead: "You've been signed out everywhere." }}
    />
  );
}

export function ChoosePassword() {
  return (
    <PasswordPage
      title="Choose a password"
      lead="Then sign in and set up a second factor, such as an authenticator app on your phone."
      done={{ title: "Password set", lead: "Sign in with it, and then set up a second factor." }}
    />
  );
}

interface PasswordPageProps {
  title: string;
  lead?: string;
  /** Shown once the password is set. */
  done: { title: string; lead: string };
}

function PasswordPage({ title, lead, done }: PasswordPageProps) {
  const token = useLinkToken();
  const form = useForm({ initialValues: { password: "" } });
  const sending = useMutation({
    mutationFn: ({ password }: { password: string }) =>
      request("/auth/reset", { method: "POST", body: { token, password }, isAboutSigningIn: true }),
    onError: (error) => showRefusal(form, error),
  });
  if (sending.isSuccess)
    return (
      <Page title={done.title} lead={done.lead}>
        <Button component={Link} href="/sign-in">
          Sign in
        </Button>
      </Page>
    );
  return (
    <Page title={title} lead={lead}>
      {token === "" ? (
        <Text>This link is incomplete. Copy the whole link.</Text>
      ) : (
        <form onSubmit={form.onSubmit((values) => sending.mutate(values))}>
          <Stack>
            <ErrorAlert error={sending.error} inlineFields={["password"]} />
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
