/** Secret keys of this mode: made, replaced with an overlap, revoked. A key is shown once, when it is made. */
import { Alert, Button, Group, Text } from "@mantine/core";
import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import type { NewSecretKey, SecretKey } from "@oriel/protocol/dashboard-setup";
import { isolate } from "@oriel/protocol/isolate";
import { ask } from "../../api/ask.ts";
import { useDesk, useDeskList } from "../../api/desk.tsx";
import { ConfirmDialog } from "../../parts/confirm-dialog.tsx";
import { Moment } from "../../parts/moment.tsx";
import { Page } from "../../parts/page.tsx";
import { PagedTable } from "../../parts/record-table.tsx";
import { RouteLink } from "../../parts/route-link.tsx";
import { SecretOnce } from "../../parts/secret-once.tsx";
import { Tag, type Tone } from "../../parts/tag.tsx";
import { CreateKeyDialog } from "./create-key-dialog.tsx";
import { scopeWords } from "./key-scopes.ts";
import { OverlapDialog } from "./overlap-dialog.tsx";

const states: Readonly<Record<SecretKey["state"], { tone: Tone; word: string }>> = {
  valid: { tone: "good", word: "Valid" },
  expired: { tone: "plain", word: "Expired" },
  revoked: { tone: "plain", word: "Revoked" },
};

export function Keys() {
  const desk = useDesk();
  const client = useQueryClient();
  const keys = useDeskList<SecretKey>("keys");
  const [isCreating, setIsCreating] = useState(false);
  const [rolling, setRolling] = useState<SecretKey | null>(null);
  const [revoking, setRevoking] = useState<SecretKey | null>(null);
  const [secret, setSecret] = useState<string | null>(null);
  const isClosed = desk.mode === "live" && !desk.membership.is_live_approved;
  const reload = () => void client.invalidateQueries({ queryKey: desk.key("keys") });
  const show = (made: NewSecretKey) => {
    setIsCreating(false);
    setRolling(null);
    setSecret(made.secret_key);
    reload();
  };
  return (
    <Page
      title="Secret keys"
      lead="Your server sends one with each request. Whoever has a key can do what its scope says: keep it out of pages, apps and repositories."
      actions={!isClosed && <Button onClick={() => setIsCreating(true)}>Create a key</Button>}
    >
      {isClosed && (
        <Alert color="gray" variant="outline">
          Live keys can be made once the application is approved.{" "}
          {desk.may("owning") && <RouteLink to={desk.href("application")}>To the application</RouteLink>}
        </Alert>
      )}
      <PagedTable
        label="Secret keys"
        query={keys}
        rowKey={({ id }) => id}
        empty={isClosed ? "No live keys." : "No keys yet. Create one, and put it into your server's environment."}
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
          { name: "State", cell: (key) => <KeyState secretKey={key} /> },
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
                    aria-label={`Replace ${key.name}`}
                  >
                    Replace
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
          { name: "Last used", cell: ({ last_used }) => (last_used === null ? "Never" : <Moment at={last_used} />) },
          { name: "Created", cell: ({ created }) => <Moment at={created} /> },
        ]}
      />
      {isCreating && <CreateKeyDialog onClose={() => setIsCreating(false)} onCreated={show} />}
      {rolling !== null && (
        <OverlapDialog
          title={`Replace ${isolate(rolling.name)}`}
          label="The old one goes on working for"
          action="Replace"
          run={(overlap) =>
            ask<NewSecretKey>(desk.data(`keys/${rolling.id}/roll`), { method: "POST", body: { overlap } })
          }
          onClose={() => setRolling(null)}
          onDone={show}
        >
          You get a new key of the same name and scope. Put it into your server, then let the old one end.
        </OverlapDialog>
      )}
      <ConfirmDialog
        isOpen={revoking !== null}
        onClose={() => setRevoking(null)}
        title={`Revoke ${revoking?.name ?? "the key"}?`}
        action="Revoke"
        run={() => ask(desk.data(`keys/${revoking?.id ?? ""}/revoke`), { method: "POST", body: {} })}
        onDone={() => {
          setRevoking(null);
          reload();
        }}
      >
        It stops working within a second, for good. To change keys without a gap, replace it instead.
      </ConfirmDialog>
      <SecretOnce
        secret={secret}
        title="Your new secret key"
        what="the secret key"
        advice="Put it where your server keeps its secrets, for example as ORIEL_SECRET_KEY in its environment."
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
          <Moment at={end} />
        </Text>
      )}
    </Group>
  );
}
