/** The page that invitation links open. Only a user with the invited email address can accept. */
import { Button, Group, Text } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import { useEffect } from "react";
import { Link } from "wouter";
import { ask } from "../../api/request.ts";
import { useLinkToken } from "../../api/link-token.ts";
import { meKey } from "../../api/me.ts";
import { queryClient } from "../../api/query-client.ts";
import { forgetInvitation, keepInvitation, waitingInvitation } from "../../api/waiting-invitation.ts";
import { Page } from "../../parts/page.tsx";
import { ErrorAlert } from "../../parts/error-alert.tsx";

export function Invitation() {
  const fromLink = useLinkToken();
  const token = fromLink === "" ? waitingInvitation() : fromLink;
  useEffect(() => {
    if (fromLink !== "") keepInvitation(fromLink);
  }, [fromLink]);
  const accepting = useMutation({
    mutationFn: (token: string) => ask("/auth/invitations/accept", { method: "POST", body: { token } }),
    onSuccess: () => {
      forgetInvitation();
      queryClient.removeQueries({ queryKey: meKey });
      globalThis.location.assign("/");
    },
  });
  if (token === null)
    return (
      <Page title="Invitation">
        <Text>This link is incomplete. Open it from the email, or copy the whole link.</Text>
      </Page>
    );
  return (
    <Page title="Join a team" lead="Accept as the user whose email address was invited.">
      <ErrorAlert error={accepting.error} />
      <Group>
        <Button onClick={() => accepting.mutate(token)} loading={accepting.isPending}>
          Accept invitation
        </Button>
        <Button variant="default" component={Link} href="/sign-up">
          Sign up first
        </Button>
      </Group>
    </Page>
  );
}
