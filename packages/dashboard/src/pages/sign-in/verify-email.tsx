/**
 * Where the link of the first mail leads. It is spent by pressing a button: some mail programs open every link by
 * themselves.
 */
import { Anchor, Button, Text } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import { Link } from "wouter";
import { ask } from "../../api/ask.ts";
import { useLinkToken } from "../../api/link-token.ts";
import { Page } from "../../parts/page.tsx";
import { RefusalAlert } from "../../parts/refusal-alert.tsx";

export function VerifyEmail() {
  const token = useLinkToken();
  const sending = useMutation({
    mutationFn: () => ask("/auth/verify-email", { method: "POST", body: { token }, isAboutSigningIn: true }),
  });
  if (sending.isSuccess)
    return (
      <Page title="Your address is confirmed">
        <Button component={Link} href="/sign-in">
          Sign in
        </Button>
      </Page>
    );
  return (
    <Page title="Confirm your address">
      {token === "" ? (
        <Text>The link is not whole. Open it from the mail, or copy all of it.</Text>
      ) : (
        <Button onClick={() => sending.mutate()} loading={sending.isPending}>
          Confirm
        </Button>
      )}
      <RefusalAlert error={sending.error} />
      {sending.isError && <Text size="sm">Signing in with your password sends another link.</Text>}
      <Anchor component={Link} href="/sign-in" size="sm">
        To signing in
      </Anchor>
    </Page>
  );
}
