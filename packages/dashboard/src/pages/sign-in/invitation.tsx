/**
 * The page that invitation links open. Only a user with the invited email address can accept, so the page says who the
 * invitation is for, and how to continue as that user.
 */
import { Button, Group, Stack, Text } from "@mantine/core";
import { useMutation, useQuery } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { Link } from "wouter";
import type { LinkedInvitation } from "@oriel/protocol/dashboard/setup";
import type { Me } from "@oriel/protocol/dashboard/sign-in";
import { isolate } from "@oriel/protocol/isolate";
import { RequestError } from "../../api/api-error.ts";
import { useLinkToken } from "../../api/link-token.ts";
import { meKey } from "../../api/me.ts";
import { request } from "../../api/request.ts";
import {
  forgetInvitation,
  storeInvitation,
  useLinkedInvitation,
  waitingInvitation,
} from "../../api/waiting-invitation.ts";
import { ErrorAlert } from "../../parts/error-alert.tsx";
import { Loaded } from "../../parts/loaded.tsx";
import { Page } from "../../parts/page.tsx";
import { signOut } from "../../parts/sign-out.ts";
import { AcceptButton } from "./accept-button.tsx";

export function Invitation() {
  const fromLink = useLinkToken();
  const [waiting] = useState(waitingInvitation); // still shown if it's forgotten because the link is invalid
  const token = fromLink === "" ? waiting : fromLink;
  useEffect(() => {
    if (fromLink !== "") storeInvitation(fromLink);
  }, [fromLink]);
  const invitation = useLinkedInvitation(token);
  const user = useQuery({ queryKey: [...meKey, "if signed in"], queryFn: findMe });
  if (token === null)
    return (
      <Page title="Invitation">
        <Text>This link is incomplete. Open it from the email, or copy the whole link.</Text>
      </Page>
    );
  if (invitation.error !== null)
    return (
      <Page title="Invitation">
        <ErrorAlert error={invitation.error} />
      </Page>
    );
  return (
    <Loaded query={invitation}>
      {(invitation) =>
        invitation.status === "open" ? (
          <Loaded query={user}>{(me) => <Open token={token} invitation={invitation} me={me} />}</Loaded>
        ) : (
          <Closed invitation={invitation} />
        )
      }
    </Loaded>
  );
}

/** @returns null if nobody is signed in */
async function findMe(): Promise<Me | null> {
  return await request<Me>("/auth/me", { isAboutSigningIn: true }).catch((error: unknown) => {
    if (error instanceof RequestError && error.code === "sign_in_required") return null;
    throw error;
  });
}

interface OpenProps {
  token: string;
  invitation: LinkedInvitation;
  me: Me | null;
}

function Open({ token, invitation: { email, account_name, invited_by }, me }: OpenProps) {
  const lead = `${isolate(invited_by)} invited ${isolate(email)} to the team of ${isolate(account_name)}.`;
  const switching = useMutation({ mutationFn: async () => await signOut("/invitation") });
  if (me === null)
    return (
      <Page title="Join a team" lead={lead}>
        <Text size="sm">Sign up or sign in with this email address, then accept the invitation.</Text>
        <Group>
          <Button component={Link} href="/sign-up">
            Sign up
          </Button>
          <Button variant="default" component={Link} href="/sign-in?return=%2Finvitation">
            Sign in
          </Button>
        </Group>
      </Page>
    );
  if (me.login.email !== email)
    return (
      <Page title="Join a team" lead={lead}>
        <Text size="sm">
          You're signed in as {isolate(me.login.email)}. To accept the invitation, sign out first, and then sign up or
          sign in with the invited email address.
        </Text>
        <div>
          <Button onClick={() => switching.mutate()} loading={switching.isPending}>
            Sign out and continue
          </Button>
        </div>
      </Page>
    );
  return (
    <Page title="Join a team" lead={lead}>
      <AcceptButton body={{ token }} />
    </Page>
  );
}

function Closed({ invitation: { status, invited_by, account_name } }: { invitation: LinkedInvitation }) {
  useEffect(forgetInvitation, []);
  return (
    <Page title={status === "accepted" ? "Invitation accepted" : "This invitation no longer works"}>
      <Stack>
        <Text>
          {status === "accepted"
            ? `This invitation to the team of ${isolate(account_name)} has already been accepted.`
            : `This invitation to the team of ${isolate(account_name)} ${status === "expired" ? "has expired" : "was revoked or replaced by a newer one"}. It was sent by ${isolate(invited_by)}. Open the link in the latest email, or ask for a new invitation.`}
        </Text>
        <div>
          <Button component={Link} href="/" variant={status === "accepted" ? "filled" : "default"}>
            Go to the dashboard
          </Button>
        </div>
      </Stack>
    </Page>
  );
}
