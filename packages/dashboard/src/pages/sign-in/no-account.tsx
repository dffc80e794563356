/**
 * Shown to users who aren't members of any team. Lists their invitations, because people who sign up through an
 * invitation often end up in another tab than the one that they opened it in.
 */
import { Stack, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { Redirect } from "wouter";
import type { OwnInvitation, OwnInvitations } from "@oriel/protocol/dashboard/setup";
import type { Me } from "@oriel/protocol/dashboard/sign-in";
import { isolate } from "@oriel/protocol/isolate";
import { homeOf, noAccountPath, useMe } from "../../api/me.ts";
import { request } from "../../api/request.ts";
import { Loaded } from "../../parts/loaded.tsx";
import { Page } from "../../parts/page.tsx";
import { roleWords } from "../team/roles.ts";
import { AcceptButton } from "./accept-button.tsx";

export function NoAccount() {
  const me = useMe();
  const query = useQuery({
    queryKey: ["invitations"],
    queryFn: ({ signal }) => request<OwnInvitations>("/auth/invitations", { signal }),
  });
  return (
    <Loaded query={query}>
      {({ data }) =>
        data.length === 0 ? (
          <Loaded query={me}>{(me) => <NoTeam me={me} />}</Loaded>
        ) : (
          <Page title={data.length === 1 ? "You're invited to a team" : "You're invited to these teams"}>
            <Stack gap="xl">
              {data.map((invitation) => (
                <Invited key={invitation.id} invitation={invitation} />
              ))}
            </Stack>
          </Page>
        )
      }
    </Loaded>
  );
}

/** Members of a team may come here by a bookmark, or after they have accepted an invitation in another tab. */
function NoTeam({ me }: { me: Me }) {
  const home = homeOf(me);
  if (home !== noAccountPath) return <Redirect to={home} replace />;
  return (
    <Page title="No account yet">
      <Text>
        You aren't a member of any team. Ask an owner of the account to invite {isolate(me.login.email)}. If you were
        invited with another email address, sign out, and sign in or sign up with that address.
      </Text>
    </Page>
  );
}

function Invited({ invitation: { id, account_name, role, invited_by } }: { invitation: OwnInvitation }) {
  const { name, about } = roleWords[role];
  return (
    <Stack gap="xs">
      <Text>
        {isolate(invited_by)} invited you to the team of <strong>{isolate(account_name)}</strong> with the role {name}.
      </Text>
      <Text size="sm" c="dimmed">
        {about}
      </Text>
      <AcceptButton body={{ id }} />
    </Stack>
  );
}
