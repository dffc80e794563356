/** The reader's passkeys: which there are, another one, one less. A login keeps a second factor: the last one stays. */
import { Button, Stack, Text } from "@mantine/core";
import { useState } from "react";
import type { PasskeyInfo } from "@oriel/protocol/dashboard";
import { isolate } from "@oriel/protocol/isolate";
import { hasPasskeys } from "../../api/passkeys.ts";
import { queryClient } from "../../api/query-client.ts";
import { securityKey } from "../../api/security.ts";
import { Moment } from "../../parts/moment.tsx";
import { RecordTable } from "../../parts/record-table.tsx";
import { AddPasskeyForm } from "./add-passkey-form.tsx";
import { RemoveFactorDialog } from "./remove-factor-dialog.tsx";

export function PasskeySection({ passkeys }: { passkeys: readonly PasskeyInfo[] }) {
  const [isAdding, setIsAdding] = useState(false);
  const [removing, setRemoving] = useState<PasskeyInfo | null>(null);
  const look = () => void queryClient.invalidateQueries({ queryKey: securityKey });
  return (
    <Stack>
      <Text size="sm">
        A passkey lets you in with a finger, a face or a PIN, without password and code. It stays on its device, or in
        your password manager.
      </Text>
      {passkeys.length > 0 && (
        <RecordTable
          label="Your passkeys"
          items={passkeys}
          rowKey={({ id }) => id}
          empty="None."
          columns={[
            { name: "Name", cell: ({ name }) => name },
            { name: "Added", cell: ({ created }) => <Moment at={created} /> },
            {
              name: "Remove",
              isNameHidden: true,
              cell: (passkey) => (
                <Button
                  size="compact-xs"
                  variant="default"
                  onClick={() => setRemoving(passkey)}
                  aria-label={`Remove ${passkey.name}`}
                >
                  Remove
                </Button>
              ),
            },
          ]}
        />
      )}
      {!hasPasskeys && <Text size="sm">This browser knows no passkeys.</Text>}
      {hasPasskeys && !isAdding && (
        <div>
          <Button variant="default" size="xs" onClick={() => setIsAdding(true)}>
            Add a passkey
          </Button>
        </div>
      )}
      {isAdding && (
        <div style={{ maxWidth: 420 }}>
          <AddPasskeyForm
            onDone={() => {
              setIsAdding(false);
              look();
            }}
            onCancel={() => setIsAdding(false)}
          />
        </div>
      )}
      {removing !== null && (
        <RemoveFactorDialog
          title={`Remove ${isolate(removing.name)}`}
          path={`/auth/passkeys/${removing.id}/remove`}
          onClose={() => setRemoving(null)}
          onDone={() => {
            setRemoving(null);
            look();
          }}
        >
          It lets nobody in any more. Delete it on its device as well, where it stays until then.
        </RemoveFactorDialog>
      )}
    </Stack>
  );
}
