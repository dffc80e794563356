/** The account's members with their roles, and pending invitations. The same in both modes. */
import { Button, Group, Text } from "@mantine/core";
import { useState } from "react";
import { roles } from "@oriel/protocol/dashboard/roles";
import type { Invitation, Team as TeamResponse, TeamMember } from "@oriel/protocol/dashboard/setup";
import { isolate } from "@oriel/protocol/isolate";
import { meKey } from "../../api/me.ts";
import { queryClient } from "../../api/query-client.ts";
import { request } from "../../api/request.ts";
import { useWorkspace, useWorkspaceQuery } from "../../api/workspace.tsx";
import { ConfirmDialog } from "../../parts/confirm-dialog.tsx";
import { DateTime } from "../../parts/date-time.tsx";
import { DescriptionList } from "../../parts/description-list.tsx";
import { Loaded } from "../../parts/loaded.tsx";
import { Page } from "../../parts/page.tsx";
import { RecordTable } from "../../parts/record-table.tsx";
import { Section } from "../../parts/section.tsx";
import { InviteDialog } from "./invite-dialog.tsx";
import { RoleDialog } from "./role-dialog.tsx";
import { roleWords } from "./roles.ts";

export function Team() {
  const workspace = useWorkspace();
  const isOwner = workspace.may("owning");
  const team = useWorkspaceQuery<TeamResponse>("team");
  const [isInviting, setIsInviting] = useState(false);
  return (
    <Page
      title="Team"
      lead={
        isOwner
          ? "Members have the same role in test and live mode."
          : "Members have the same role in test and live mode. Only owners can make changes."
      }
      actions={isOwner && <Button onClick={() => setIsInviting(true)}>Invite member</Button>}
    >
      <Loaded query={team}>
        {({ members, invitations }) => (
          <>
            <Section title="Members">
              <Members members={members} />
            </Section>
            <Section title="Pending invitations">
              <Invitations invitations={invitations} />
            </Section>
          </>
        )}
      </Loaded>
      <Section title="Roles">
        <DescriptionList facts={roles.map((role) => ({ name: roleWords[role].name, value: roleWords[role].about }))} />
      </Section>
      {isInviting && <InviteDialog onClose={() => setIsInviting(false)} />}
    </Page>
  );
}

/** Reloads the team, and also the user's own permissions if users changed their own role. */
function useTeamChanged() {
  const workspace = useWorkspace();
  return ({ is_you }: TeamMember) => {
    void queryClient.invalidateQueries({ queryKey: workspace.key("team") });
    if (is_you) void queryClient.invalidateQueries({ queryKey: meKey });
  };
}

function Members({ members }: { members: readonly TeamMember[] }) {
  const workspace = useWorkspace();
  const [changing, setChanging] = useState<TeamMember | null>(null);
  const [removing, setRemoving] = useState<TeamMember | null>(null);
  const changed = useTeamChanged();
  return (
    <>
      <RecordTable
        label="Team members"
        items={members}
        rowKey={({ login_id }) => login_id}
        empty="No members."
        columns={[
          { name: "Name", cell: ({ name, is_you }) => (is_you ? `${isolate(name)} (you)` : name) },
          { name: "Email", cell: ({ email }) => email },
          { name: "Role", cell: ({ role }) => roleWords[role].name },
          { name: "Joined", cell: ({ created }) => <DateTime at={created} /> },
          ...(workspace.may("owning")
            ? [
                {
                  name: "Actions",
                  isNameHidden: true,
                  cell: (member: TeamMember) => (
                    <Group gap="xs" wrap="nowrap">
                      <Button
                        size="compact-xs"
                        variant="default"
                        onClick={() => setChanging(member)}
                        aria-label={`Change role of ${member.name}`}
                      >
                        Change role
                      </Button>
                      <Button
                        size="compact-xs"
                        variant="default"
                        onClick={() => setRemoving(member)}
                        aria-label={member.is_you ? "Leave team" : `Remove ${member.name}`}
                      >
                        {member.is_you ? "Leave" : "Remove"}
                      </Button>
                    </Group>
                  ),
                },
              ]
            : []),
        ]}
      />
      {changing !== null && (
        <RoleDialog
          member={members.find(({ login_id }) => login_id === changing.login_id) ?? changing}
          onClose={() => setChanging(null)}
          onDone={() => {
            changed(changing);
            setChanging(null);
          }}
        />
      )}
      {removing !== null && (
        <ConfirmDialog
          isOpen
          onClose={() => setRemoving(null)}
          title={removing.is_you ? "Leave team?" : "Remove member?"}
          action={removing.is_you ? "Leave" : "Remove"}
          run={() => request(workspace.data(`team/members/${removing.login_id}`), { method: "DELETE" })}
          onDone={() => {
            if (removing.is_you) return globalThis.location.assign("/");
            changed(removing);
            setRemoving(null);
          }}
        >
          {removing.is_you ? (
            "You lose access to this account immediately. An owner can invite you again."
          ) : (
            <>
              <strong className="break-anywhere">{removing.email}</strong> loses access to this account immediately. API
              keys that they have seen keep working, so rotate those keys.
            </>
          )}
        </ConfirmDialog>
      )}
    </>
  );
}

function Invitations({ invitations }: { invitations: readonly Invitation[] }) {
  const workspace = useWorkspace();
  const [revoking, setRevoking] = useState<Invitation | null>(null);
  if (invitations.length === 0)
    return (
      <Text size="sm" c="dimmed">
        No pending invitations.
      </Text>
    );
  return (
    <>
      <RecordTable
        label="Pending invitations"
        items={invitations}
        rowKey={({ id }) => id}
        empty="No pending invitations."
        columns={[
          { name: "Email", cell: ({ email }) => email },
          { name: "Role", cell: ({ role }) => roleWords[role].name },
          { name: "Invited by", cell: ({ invited_by }) => invited_by },
          { name: "Expires", cell: ({ expires }) => <DateTime at={expires} /> },
          ...(workspace.may("owning")
            ? [
                {
                  name: "Actions",
                  isNameHidden: true,
                  cell: (invitation: Invitation) => (
                    <Button
                      size="compact-xs"
                      variant="default"
                      onClick={() => setRevoking(invitation)}
                      aria-label={`Revoke the invitation of ${invitation.email}`}
                    >
                      Revoke
                    </Button>
                  ),
                },
              ]
            : []),
        ]}
      />
      {revoking !== null && (
        <ConfirmDialog
          isOpen
          onClose={() => setRevoking(null)}
          title="Revoke invitation?"
          action="Revoke invitation"
          run={() => request(workspace.data(`team/invitations/${revoking.id}`), { method: "DELETE" })}
          onDone={() => {
            void queryClient.invalidateQueries({ queryKey: workspace.key("team") });
            setRevoking(null);
          }}
        >
          The link in the email to <strong className="break-anywhere">{revoking.email}</strong> stops working.
        </ConfirmDialog>
      )}
    </>
  );
}
