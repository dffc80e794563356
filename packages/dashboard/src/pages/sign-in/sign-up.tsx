/** Signing up: a login, and with it an account. Whoever was invited to a team gets no account of their own. */
import { Anchor, Button, Stack, Text, TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import { useMutation } from "@tanstack/react-query";
import { Link } from "wouter";
import type { SignUp as SignUpBody } from "@oriel/protocol/dashboard";
import { ask } from "../../api/ask.ts";
import { hasWaitingInvitation } from "../../api/waiting-invitation.ts";
import { required, showRefusal } from "../../parts/form-errors.ts";
import { Page } from "../../parts/page.tsx";
import { RefusalAlert } from "../../parts/refusal-alert.tsx";
import { NewPasswordInput } from "./new-password-input.tsx";

export function SignUp() {
  const isInvited = hasWaitingInvitation();
  const form = useForm({
    initialValues: { name: "", email: "", password: "", account_name: "" },
    validate: {
      name: required("Your name"),
      // Said here too, before the way to the server and back; the server decides.
      password: (value) =>
        Array.from(value).length < 12 ? "Use at least 12 characters. A few words in a row will do." : null,
      account_name: isInvited ? () => null : required("The business's name"),
    },
  });
  const sending = useMutation({
    mutationFn: (body: SignUpBody) => ask("/auth/sign-up", { method: "POST", body, isAboutSigningIn: true }),
    onError: (error) => showRefusal(form, error),
  });
  if (sending.isSuccess) return <LookIntoYourMail email={form.getValues().email} />;
  const send = ({ account_name, ...person }: ReturnType<typeof form.getValues>) =>
    sending.mutate(isInvited ? person : { ...person, account_name });
  return (
    <Page title="Sign up" lead={isInvited ? "Then you can accept the invitation." : undefined}>
      <form onSubmit={form.onSubmit(send)}>
        <Stack>
          <RefusalAlert error={sending.error} besideFields={["name", "email", "password", "account_name"]} />
          <TextInput label="Your name" autoComplete="name" maxLength={100} required {...form.getInputProps("name")} />
          {!isInvited && (
            <TextInput
              label="Business"
              description="As your customers know it."
              autoComplete="organization"
              maxLength={100}
              required
              {...form.getInputProps("account_name")}
            />
          )}
          <TextInput
            label="E-mail address"
            type="email"
            autoComplete="username"
            required
            {...form.getInputProps("email")}
          />
          <NewPasswordInput label="Password" {...form.getInputProps("password")} />
          <Button type="submit" loading={sending.isPending}>
            Sign up
          </Button>
          <Text size="sm">
            Signed up already?{" "}
            <Anchor component={Link} href="/sign-in">
              Sign in
            </Anchor>
          </Text>
        </Stack>
      </form>
    </Page>
  );
}

function LookIntoYourMail({ email }: { email: string }) {
  return (
    <Page title="Look into your mail">
      <Text>
        We have written to <strong className="break-anywhere">{email}</strong>. Open the link in that mail within 24
        hours, then sign in.
      </Text>
      <Text size="sm" c="dimmed">
        Nothing there after a few minutes? Look among the unwanted mail. Signing in with your password sends another
        one.
      </Text>
      <Anchor component={Link} href="/sign-in">
        To signing in
      </Anchor>
    </Page>
  );
}
