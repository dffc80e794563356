/** Signs in with email and password, and then with the second factor if there is one, or with a passkey alone. */
import { Anchor, Button, PasswordInput, Stack, Text, TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import { useMutation } from "@tanstack/react-query";
import { useState, type ReactNode } from "react";
import { Link } from "wouter";
import type { SignIn as SignInBody, SignedIn } from "@oriel/protocol/dashboard/sign-in";
import { hasPasskeys, signInWithPasskey } from "../../api/passkeys.ts";
import { queryClient } from "../../api/query-client.ts";
import { request } from "../../api/request.ts";
import { returnPath } from "../../api/return-path.ts";
import { ErrorAlert } from "../../parts/error-alert.tsx";
import { showRefusal } from "../../parts/form-errors.ts";
import { Page } from "../../parts/page.tsx";
import { PasskeyButton } from "../../parts/passkey-button.tsx";
import { PasskeyStep } from "./passkey-step.tsx";
import { SecondFactorForm } from "./second-factor-form.tsx";

export function SignIn() {
  const [step, setStep] = useState<SignedIn["status"] | "password">("password");
  const enter = () => {
    queryClient.clear(); // may have data of another user who was signed in before
    globalThis.location.assign(returnPath(globalThis.location.search));
  };
  if (step === "second_factor") return <SecondFactorForm onDone={enter} onBack={() => setStep("password")} />;
  if (step === "passkey") return <PasskeyStep onDone={enter} onBack={() => setStep("password")} />;
  return (
    <PasswordForm onDone={({ status }) => (status === "signed_in" ? enter() : setStep(status))}>
      {hasPasskeys && <PasskeyButton run={signInWithPasskey} onDone={enter} />}
    </PasswordForm>
  );
}

/** @param children shown below the submit button */
function PasswordForm({ onDone, children }: { onDone: (data: SignedIn) => void; children: ReactNode }) {
  const form = useForm({ initialValues: { email: "", password: "" } });
  const sending = useMutation({
    mutationFn: (body: SignInBody) =>
      request<SignedIn>("/auth/sign-in", { method: "POST", body, isAboutSigningIn: true }),
    onSuccess: onDone,
    onError: (error) => showRefusal(form, error),
  });
  return (
    <Page title="Sign in">
      <form onSubmit={form.onSubmit((values) => sending.mutate(values))}>
        <Stack>
          <ErrorAlert error={sending.error} inlineFields={["email", "password"]} />
          <TextInput label="Email" type="email" autoComplete="username" required {...form.getInputProps("email")} />
          <PasswordInput
            label="Password"
            autoComplete="current-password"
            required
            {...form.getInputProps("password")}
          />
          <Button type="submit" loading={sending.isPending}>
            Sign in
          </Button>
          {children}
          <Text size="sm">
            <Anchor component={Link} href="/forgot-password">
              Forgot your password?
            </Anchor>
          </Text>
          <Text size="sm">
            New to Oriel?{" "}
            <Anchor component={Link} href="/sign-up">
              Sign up
            </Anchor>
          </Text>
        </Stack>
      </form>
    </Page>
  );
}
