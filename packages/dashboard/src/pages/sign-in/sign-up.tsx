/** Signs up a new user with a new account. Users who were invited to a team don't get their own account. */
import { Anchor, Button, Stack, Text, TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { Link } from "wouter";
import type { LinkedInvitation } from "@oriel/protocol/dashboard/setup";
import type { SignUp as SignUpBody } from "@oriel/protocol/dashboard/sign-in";
import { isolate } from "@oriel/protocol/isolate";
import { request } from "../../api/request.ts";
import { useLinkedInvitation, waitingInvitation } from "../../api/waiting-invitation.ts";
import { ErrorAlert } from "../../parts/error-alert.tsx";
import { required, showRefusal } from "../../parts/form-errors.ts";
import { Waiting } from "../../parts/loaded.tsx";
import { Page } from "../../parts/page.tsx";
import { NewPasswordInput } from "./new-password-input.tsx";

export function SignUp() {
  const [token] = useState(waitingInvitation);
  const { data, isFetchedAfterMount } = useLinkedInvitation(token);
  // Don't wait again when a failed query is repeated, because the form would lose what the user typed.
  if (token !== null && data === undefined && !isFetchedAfterMount) return <Waiting />;
  // If the invitation doesn't work anymore, the page is the same as without one.
  return <SignUpForm invitation={data?.status === "open" ? data : null} />;
}

function SignUpForm({ invitation }: { invitation: LinkedInvitation | null }) {
  const [invited] = useState(invitation); // a later response doesn't change the fields that the user is filling in
  const isInvited = invited !== null;
  const form = useForm({
    initialValues: { name: "", email: invited?.email ?? "", password: "", account_name: "" },
    validate: {
      name: required("your name"),
      // The service checks this too. Checking here saves a round trip.
      password: (value) =>
        Array.from(value).length < 12 ? "Use at least 12 characters, for example a few random words." : null,
      account_name: isInvited ? () => null : required("your business name"),
    },
  });
  const sending = useMutation({
    mutationFn: (body: SignUpBody) => request("/auth/sign-up", { method: "POST", body, isAboutSigningIn: true }),
    onError: (error) => showRefusal(form, error),
  });
  if (sending.isSuccess) return <CheckYourEmail email={form.getValues().email} />;
  const send = ({ account_name, ...person }: ReturnType<typeof form.getValues>) =>
    sending.mutate(isInvited ? person : { ...person, account_name });
  return (
    <Page
      title="Sign up"
      lead={isInvited ? `Then you can join the team of ${isolate(invited.account_name)}.` : undefined}
    >
      <form onSubmit={form.onSubmit(send)}>
        <Stack>
          <ErrorAlert error={sending.error} inlineFields={["name", "email", "password", "account_name"]} />
          <TextInput label="Your name" autoComplete="name" maxLength={100} required {...form.getInputProps("name")} />
          {!isInvited && (
            <TextInput
              label="Business name"
              description="The name your customers know"
              autoComplete="organization"
              maxLength={100}
              required
              {...form.getInputProps("account_name")}
            />
          )}
          <TextInput
            label="Email"
            description={isInvited ? "The address that was invited" : undefined}
            type="email"
            autoComplete="username"
            readOnly={isInvited}
            required
            {...form.getInputProps("email")}
          />
          <NewPasswordInput label="Password" {...form.getInputProps("password")} />
          <Button type="submit" loading={sending.isPending}>
            Sign up
          </Button>
          <Text size="sm">
            Already signed up?{" "}
            <Anchor component={Link} href="/sign-in">
              Sign in
            </Anchor>
          </Text>
        </Stack>
      </form>
    </Page>
  );
}

function CheckYourEmail({ email }: { email: string }) {
  return (
    <Page title="Check your email">
      <Text>
        An email to <strong className="break-anywhere">{email}</strong> is on its way. Open the link in it within 24
        hours, then sign in.
      </Text>
      <Text size="sm" c="dimmed">
        No email after a few minutes? Check your spam folder. To get a new link, sign in with your password.
      </Text>
      <Anchor component={Link} href="/sign-in">
        Go to sign-in
      </Anchor>
    </Page>
  );
}
