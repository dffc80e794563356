/**
 * The page that confirmation links open. Confirming requires a click because some mail programs open all links.
 */
import { Anchor, Button, Text } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import { Link } from "wouter";
import { useLinkToken } from "../../api/link-token.ts";
import { request } from "../../api/request.ts";
import { ErrorAlert } from "../../parts/error-alert.tsx";
import { Page } from "../../parts/page.tsx";

export function VerifyEmail() {
  const token = useLinkToken();
  const sending = useMutation({
    mutationFn: () => request("/auth/verify-email", { method: "POST", body: { token }, isAboutSigningIn: true }),
  });
  if (sending.isSuccess)
    return (
      <Page title="Email address confirmed">
        <Button component={Link} href="/sign-in">
          Sign in
        </Button>
      </Page>
    );
  return (
    <Page title="Confirm your email address">
      {token === "" ? (
        <Text>This link is incomplete. Open it from the email, or copy the whole link.</Text>
      ) : (
        <Button onClick={() => sending.mutate()} loading={sending.isPending}>
          Confirm
        </Button>
      )}
      <ErrorAlert error={sending.error} />
      {sending.isError && <Text size="sm">To get a new link, sign in with your password.</Text>}
      <Anchor component={Link} href="/sign-in" size="sm">
        Go to sign-in
      </Anchor>
    </Page>
  );
}
