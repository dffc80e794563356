/** Creates, rotates and revokes the secret keys of this mode. A key is shown once, when it's created. */
import { Alert, Button, Group, Text } from "@mantine/core";
import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import type { NewSecretKey, SecretKey } from "@oriel/protocol/dashboard/setup";
import { isolate } from "@oriel/protocol/isolate";
import { request } from "../../api/request.ts";
import { useWorkspace, useWorkspaceList } from "../../api/workspace.tsx";
import { ConfirmDialog } from "../../parts/confirm-dialog.tsx";
import { DateTime } from "../../parts/date-time.tsx";
import { Page } from "../../parts/page.tsx";
import { PagedTable } from "../../parts/record-table.tsx";
import { RouteLink } from "../../parts/route-link.tsx";
import { SecretOnce } from "../../parts/secret-once.tsx";
import { Tag, type Tone } from "../../parts/tag.tsx";
import { CreateKeyDialog } from "./create-key-dialog.tsx";
import { scopeWords } from "./key-scopes.ts";
import { OverlapDialog } from "./overlap-dialog.tsx";

const states: Readonly<Record<SecretKey["state"], { tone: Tone; word: string }>> = {
  valid: { tone: "good", word: "Active" },
  expired: { tone: "plain", word: "Expired" },
  revoked: { tone: "plain", word: "Revoked" },
};

export function Keys() {
  const workspace = useWorkspace();
  const client = useQueryClient();
  const keys = useWorkspaceList<SecretKey>("keys");
  const [isCreating, setIsCreating] = useState(false);
  const [rolling, setRolling] = useState<SecretKey | null>(null);
  const [revoking, setRevoking] = useState<SecretKey | null>(null);
  const [secret, setSecret] = useState<string | null>(null);
  const isClosed = workspace.mode === "live" && !workspace.membership.is_live_approved;
  const reload = () => void client.invalidateQueries({ queryKey: workspace.key("keys") });
  const show = (made: NewSecretKey) => {
    setIsCreating(false);
    setRolling(null);
    setSecret(made.secret_key);
  };
  return (
    <Page
      title="API keys"
      lead="Your server sends a secret key with each request. Anyone who has a key can use it, so keep keys out of web pages, apps and repositories."
      actions={!isClosed && <Button onClick={() => setIsCreating(true)}>Create key</Button>}
    >
      {isClosed && (
        <Alert color="gray" variant="outline">
          You can create live keys once your application is approved.{" "}
          {workspace.may("owning") && <RouteLink to={workspace.href("application")}>Go to the application</RouteLink>}
        </Alert>
      )}
      <PagedTable
        label="Secret keys"
        query={keys}
        rowKey={({ id }) => id}
        empty={isClosed ? "No live keys." : "No keys yet. Create one and add it to your server's environment."}
        columns={[
          {
            name: "Name",
            cell: ({ name, last4 }) => (
              <>
                {name} <code>...{last4}</code>
              </>
            ),
          },
          { name: "Scope", cell: ({ scope }) => scopeWords[scope].name },
          { name: "Status", cell: (key) => <KeyState secretKey={key} /> },
          {
            name: "Actions",
            isNameHidden: true,
            cell: (key) =>
              key.state === "valid" && (
                <Group gap={4} wrap="nowrap">
                  <Button
                    size="compact-xs"
                    variant="default"
                    onClick={() => setRolling(key)}
                    aria-label={`Rotate ${key.name}`}
                  >
                    Rotate
                  </Button>
                  <Button
                    size="compact-xs"
                    variant="default"
                    onClick={() => setRevoking(key)}
                    aria-label={`Revoke ${key.name}`}
                  >
                    Revoke
                  </Button>
                </Group>
              ),
          },
          { name: "Last used", cell: ({ last_used }) => (last_used === null ? "Never" : <DateTime at={last_used} />) },
          { name: "Created", cell: ({ created }) => <DateTime at={created} /> },
        ]}
      />
      {isCreating && <CreateKeyDialog onClose={() => setIsCreating(false)} onCreated={show} />}
      {rolling !== null && (
        <OverlapDialog
          title={`Rotate ${isolate(rolling.name)}`}
          label="Keep old key valid for"
          action="Rotate key"
          run={async (overlap) => {
            const path = workspace.data(`keys/${rolling.id}/roll`);
            return await request<NewSecretKey>(path, { method: "POST", body: { overlap } }).finally(reload);
          }}
          onClose={() => setRolling(null)}
          onDone={show}
        >
          Creates a new key with the same name and scope. Add it to your server before the old key expires.
        </OverlapDialog>
      )}
      <ConfirmDialog
        isOpen={revoking !== null}
        onClose={() => setRevoking(null)}
        title={`Revoke ${revoking?.name ?? "key"}?`}
        action="Revoke key"
        run={() => request(workspace.data(`keys/${revoking?.id ?? ""}/revoke`), { method: "POST", body: {} })}
        onDone={() => {
          setRevoking(null);
          reload();
        }}
      >
        The key stops working within a second. You can't undo this. To switch keys without downtime, rotate it instead.
      </ConfirmDialog>
      <SecretOnce
        secret={secret}
        title="Your new secret key"
        what="secret key"
        advice="Store it with your server's secrets, for example as the environment variable ORIEL_SECRET_KEY."
        isLast
        onClose={() => setSecret(null)}
      />
    </Page>
  );
}

function KeyState({ secretKey: { state, expires, revoked } }: { secretKey: SecretKey }) {
  const end = revoked ?? expires;
  return (
    <Group gap={6} wrap="nowrap">
      <Tag tone={states[state].tone}>{states[state].word}</Tag>
      {end !== null && (
        <Text size="sm" component="span">
          {state === "valid" && "until "}
          <DateTime at={end} />
        </Text>
      )}
    </Group>
  );
}
